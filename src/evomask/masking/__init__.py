"""Masking methods: a table in, a protected table out."""
