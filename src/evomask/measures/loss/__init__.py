"""Information loss of the strict profile."""
