"""Files larger than memory: masked, protected, measured and verified in chunks."""
