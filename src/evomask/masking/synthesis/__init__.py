"""Synthesis: values of some or all attributes are drawn from a model of the file."""

SYNTHESES = ("cart", "copula", "bayesian-network")
"""Names of the methods."""
