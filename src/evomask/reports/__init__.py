"""Figures and reports: the only part that draws."""
