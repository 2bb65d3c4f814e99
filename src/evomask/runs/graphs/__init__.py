"""Use cases on social graphs."""
