"""Portfolio engine: all applicable searches share one budget and one Pareto front."""
