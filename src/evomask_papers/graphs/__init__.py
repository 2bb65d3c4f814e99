"""Social graphs (Marés, 2013, chapter 6): stand-in graphs and figures."""
