"""Edit rules: what must hold in every released record, and how it is mended."""
