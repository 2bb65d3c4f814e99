"""Information loss and disclosure risk of a masked table against its original."""
