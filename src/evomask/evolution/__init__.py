"""The evolution core: one loop for all searches, independent of what evolves."""
