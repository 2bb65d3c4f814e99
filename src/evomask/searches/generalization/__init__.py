"""Generalization: nodes of the lattice of levels, many properties at once (Dewri et al., 2010)."""
