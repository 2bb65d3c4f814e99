"""What is kept of a run in its folder, and what the folder tells: plan, journal, events, states."""
