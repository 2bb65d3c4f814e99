"""Trajectories from file to file: discs that k people share, and what an intruder makes of them."""
