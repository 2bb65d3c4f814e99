"""Generalization: nodes of the lattice of levels, for several objectives (Dewri et al., 2010)."""
