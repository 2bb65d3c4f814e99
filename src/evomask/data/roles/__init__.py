"""Proposals of kinds and roles for the columns of an unknown file, by names and values."""
