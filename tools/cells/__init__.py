"""Does a table mean what its text says? Every cell of many files: read whole, in parts, and by a model."""
