"""Run folders on disk: plan, journal, snapshots, release, verification."""
