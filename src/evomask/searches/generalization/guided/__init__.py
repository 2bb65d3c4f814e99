"""Our search of a lattice: forecasts of unread nodes, and people whose classes bound them."""
