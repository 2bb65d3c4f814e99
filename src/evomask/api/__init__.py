"""evomask for Python users: data frames in, data frames and results out."""
