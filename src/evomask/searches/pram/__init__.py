"""The search for PRAM transition matrices."""
