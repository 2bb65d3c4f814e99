"""Categories changed by chance, with known probabilities."""
