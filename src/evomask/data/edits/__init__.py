"""Edit rules: linear constraints on every released record, and the repair of violations."""
