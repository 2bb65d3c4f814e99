"""Implementations that break one law each, by the name of the law."""
