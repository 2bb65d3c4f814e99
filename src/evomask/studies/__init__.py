"""Studies of what a search did: operators, populations of files, graphs."""
