"""What the columns of an unknown file are likely to be for, by their names and values."""
