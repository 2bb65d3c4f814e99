"""Clustering before masking: method, number of clusters and k evolve."""
