"""How forests work, step by step."""
