"""Files larger than memory: masked, measured and verified part by part."""
