"""Loss and risk of a masked table against its original."""
