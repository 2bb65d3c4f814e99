"""Statistics that must survive masking, in the user's words: tables and models."""
