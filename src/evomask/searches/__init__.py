"""One folder per search; searches never import one another."""
