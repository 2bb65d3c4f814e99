"""Reports of a release: the record, its public part, descriptions, charts and pages."""
