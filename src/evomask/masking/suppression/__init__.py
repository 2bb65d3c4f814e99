"""Which cells to suppress so that records look alike: one way for each kind of matching.

All take records as rows of codes and give flags of the same shape, set where a cell is
suppressed.
"""
