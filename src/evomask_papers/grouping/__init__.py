"""Grouping of attributes (Balasch, 2010): printed values, tables and figures."""
