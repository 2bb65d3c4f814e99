"""Values made less detailed."""
