"""Clustering before protecting: method, number of clusters and k evolve."""
