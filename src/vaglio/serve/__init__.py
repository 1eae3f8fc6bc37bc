"""Models that answer over HTTP: predictions, reasons, what they see, and the conventions other programs speak."""
