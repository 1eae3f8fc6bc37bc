"""Forests, and ensembles of any other model."""
