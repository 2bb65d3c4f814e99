"""evomask evolves protections for microdata."""
