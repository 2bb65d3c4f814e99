"""Profiles of a social graph in clusters, and one-hop neighbourhoods."""
