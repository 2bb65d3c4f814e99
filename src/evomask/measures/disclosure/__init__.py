"""Disclosure risk of a masked table: re-identification, attribute disclosure, privacy models."""
