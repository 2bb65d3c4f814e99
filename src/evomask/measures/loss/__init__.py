"""How much usefulness a masked table has lost."""
