"""Trajectories released as discs that k people share, and an attack that follows people."""
