"""First steps with a file: example data, proposed schema, hierarchies, previews."""
