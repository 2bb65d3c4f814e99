"""Recipes of masking steps: an initial design of known methods, and their variation."""
