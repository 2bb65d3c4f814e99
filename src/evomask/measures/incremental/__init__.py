"""Incremental evaluation: measures updated by single changed cells."""
