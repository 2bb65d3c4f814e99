"""Value trees made by rule: intervals, bands, dates, shortened codes, neighbours, likeness."""
