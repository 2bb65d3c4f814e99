"""Tables, schemas, hierarchies, equivalence classes, distances and edit rules."""
