"""Microaggregation by genetic algorithms (2006), the hybrid (2007), and location privacy."""
