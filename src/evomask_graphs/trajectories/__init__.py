"""Trajectories released as discs that k people share, and a tracking attack."""
