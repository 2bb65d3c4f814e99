"""Reading and writing of tables, schemas, hierarchies and matrices."""
