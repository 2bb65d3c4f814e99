"""Equations that define PRAM transition matrices (genetic programming)."""
