"""A masked file under single changed cells, its loss and risk followed."""
