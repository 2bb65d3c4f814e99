"""The pair that judges every released file: what use it has lost, and whom it gives away."""
