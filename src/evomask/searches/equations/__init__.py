"""The equations search: formulas that make PRAM matrices (genetic programming)."""
