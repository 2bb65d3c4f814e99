"""Evolved masked files (Marés, 2013, chapter 3): printed values, tables and figures."""
