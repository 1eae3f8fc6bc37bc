"""One module per file format, and what finds out which format a source has."""
