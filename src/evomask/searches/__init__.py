"""Searches, each in its own folder: genome, operators, problem, search."""
