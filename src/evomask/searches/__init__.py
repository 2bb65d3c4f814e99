"""Searches: what evolves, how it varies, what it costs; one folder each."""
