"""Numbers, lists of names and tables as text that a person reads. Nothing here draws."""
