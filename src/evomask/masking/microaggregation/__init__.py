"""Groups of similar records, each given one value."""
