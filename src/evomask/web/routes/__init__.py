"""Routes of the HTTP interface and the pages."""
