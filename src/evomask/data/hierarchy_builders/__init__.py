"""Automatic hierarchies: intervals, quantiles, dates, code prefixes, neighbours, similarity."""
