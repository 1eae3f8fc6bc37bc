"""Additive models: one table of scores per column and per pair of columns."""
