"""Use cases: what the front ends call."""
