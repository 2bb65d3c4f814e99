"""Masked files that users give to `protect`, as candidates beside all others."""
