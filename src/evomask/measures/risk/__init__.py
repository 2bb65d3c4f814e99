"""How much a masked table gives away."""
