"""Held-out attacks, which no search may optimise against, and the audit that runs them."""
