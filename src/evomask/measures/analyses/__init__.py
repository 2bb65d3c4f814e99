"""Analyses that masking should preserve: tables and regression models given by the user."""
