"""All applicable masking methods, each with many parameters."""
