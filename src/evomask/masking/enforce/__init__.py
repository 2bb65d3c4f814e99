"""Enforcement of requirements (k, l, t) and edit rules on masked files."""
