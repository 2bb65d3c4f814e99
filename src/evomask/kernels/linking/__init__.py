"""Record linkage with exact ties, agreement patterns, assignment, attribute inference."""
