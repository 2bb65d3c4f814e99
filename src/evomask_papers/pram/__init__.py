"""Evolved PRAM matrices and equations (Marés, 2013, chapter 4)."""
