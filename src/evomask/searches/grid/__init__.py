"""Every masking method that fits, each with many parameters."""
