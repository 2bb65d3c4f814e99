"""Microaggregation: similar records are grouped and replaced by an aggregate of the group."""
