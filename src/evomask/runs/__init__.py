"""Use cases that the front ends call."""
