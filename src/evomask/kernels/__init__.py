"""Compiled kernels: functions from arrays to arrays; the only package that imports numba."""
