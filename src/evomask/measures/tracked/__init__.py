"""Readings that follow single changed cells."""
