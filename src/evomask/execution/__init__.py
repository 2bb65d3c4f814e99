"""Evaluators: carry out tasks in one process, on many cores, or on a Dask cluster."""
