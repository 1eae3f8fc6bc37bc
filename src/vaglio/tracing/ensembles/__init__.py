"""Traces of ensembles and of the majority vote."""
