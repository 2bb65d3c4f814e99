"""Data that is made up: the bundled survey, and records drawn for studies."""
