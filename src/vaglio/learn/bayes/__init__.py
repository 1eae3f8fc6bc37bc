"""Bayesian classifiers."""
