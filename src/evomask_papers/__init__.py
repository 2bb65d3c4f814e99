"""Reproductions of the tables and figures of the source papers: printed and computed values."""
