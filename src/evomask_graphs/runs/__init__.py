"""Use cases of social graphs, called by command line and Python interface."""
