"""All searches that apply share one budget and fill one front."""
