"""The sentences of a trace, one file a language; every file has the same keys."""
