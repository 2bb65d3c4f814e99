"""What could be released instead, judged by the same pair and never written."""
