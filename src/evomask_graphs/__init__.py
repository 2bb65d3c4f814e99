"""Social graphs and trajectories: crawl, protect, measure and extract (Marés, 2013, chapter 6)."""
