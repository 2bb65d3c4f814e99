"""The thesis on grouping attributes (Balasch, 2010): what it used and printed, tables, figures."""
