"""What PRAM will do on average, without drawing a file."""
