"""Traces of Bayesian classifiers."""
