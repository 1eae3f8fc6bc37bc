"""Ensembles and additive models in the report."""
