"""Groups of records: constructions, walks, annealing, exact ones and bounds."""
