"""Social graphs (Marés, 2013, chapter 6): graphs like the thesis', and its figures."""
