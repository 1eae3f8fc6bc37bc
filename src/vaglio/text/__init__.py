"""Numbers, lists and tables as text for a person. Draws nothing."""
