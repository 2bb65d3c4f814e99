"""The grouping search: which attributes are microaggregated together (GOMM, D-GOMM)."""
