"""The search for the smallest change of a row that gives it another class."""
