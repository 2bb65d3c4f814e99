"""Measures of files larger than memory: sums over chunks, attacks on sampled individuals."""
