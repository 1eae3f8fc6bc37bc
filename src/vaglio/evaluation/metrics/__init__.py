"""Numbers about predictions: rates, curves, thresholds, costs, intervals."""
