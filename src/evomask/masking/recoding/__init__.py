"""Methods that make values less precise: categories put together, ends cut off, ancestors."""
