"""Records and what is known about them: schema, table, classes, distances."""
