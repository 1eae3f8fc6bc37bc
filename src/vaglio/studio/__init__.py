"""The studio: a page on the user's own machine, from a table to a decision. Its rooms are in ``rooms/``."""
