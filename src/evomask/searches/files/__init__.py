"""Masked files themselves evolve (Marés, 2013, chapter 3)."""
