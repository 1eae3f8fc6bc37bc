"""Rules for people and for other programs: text (and back), frame, JSON, SQL, a Python function."""
