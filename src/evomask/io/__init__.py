"""Files and data frames in and out."""
