"""What the commands share: options that are read, results that are printed, the live view."""
