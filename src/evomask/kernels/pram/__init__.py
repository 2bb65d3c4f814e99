"""Transition matrices: small changes of them, and what they lead to."""
