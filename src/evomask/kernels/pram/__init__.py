"""PRAM transition matrices: mutation, and expected loss and risk."""
