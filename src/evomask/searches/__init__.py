"""Searches: what evolves, its operators, its fitness and its defaults; one folder each."""
