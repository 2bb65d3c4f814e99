"""Choice of the cells to suppress, for each kind of matching.

All functions take records as rows of codes and return flags of the suppressed cells.
"""
