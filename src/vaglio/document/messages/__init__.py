"""The sentences of a trace, one file per language; every file has the same keys."""
