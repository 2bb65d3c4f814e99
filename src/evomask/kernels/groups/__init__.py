"""Microaggregation: constructions, annealing, exact optima and lower bounds."""
