"""Masking methods, their catalogue, and enforcement of requirements on masked files."""
