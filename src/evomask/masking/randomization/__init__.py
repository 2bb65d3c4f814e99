"""Post-randomisation (PRAM) of categories, with transition matrices of several designs."""
