"""Expected loss and risk under PRAM, without drawing files."""
