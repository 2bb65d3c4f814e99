"""Attacks that no search may know: what they achieve is told in the end."""
