"""How measures, splits and theory are computed, step by step."""
