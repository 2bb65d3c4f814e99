"""Generalization for several uses at once: what evolves, how it varies, what it costs each use."""
