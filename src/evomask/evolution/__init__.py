"""The one loop that carries every search; knows nothing of records."""
