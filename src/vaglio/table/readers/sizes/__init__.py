"""How large a binary table file says it is, found before it is read."""
