"""Masked files that evolve cell by cell (Marés, 2013, chapter 3)."""
