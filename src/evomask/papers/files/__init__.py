"""Evolved masked files (Marés, 2013, chapter 3): what it used and printed, tables, figures."""
