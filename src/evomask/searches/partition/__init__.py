"""The search for a partition of records into groups of k or more (microaggregation)."""
