"""Who computes: one process, many cores, many machines."""
