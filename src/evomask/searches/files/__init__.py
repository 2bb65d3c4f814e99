"""Masked files themselves evolve (Marés, 2014, chapter 3)."""
