"""What is known of a release, as data: the record, its public part, and the words."""
