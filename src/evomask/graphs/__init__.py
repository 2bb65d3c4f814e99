"""Social graphs: crawl, protect, measure, extract (chapter 6 of the thesis on which this rests)."""
