"""Synthesis: values of some or all attributes are drawn from a model of the file."""
