"""Nodes of a generalization lattice and their equivalence classes."""
