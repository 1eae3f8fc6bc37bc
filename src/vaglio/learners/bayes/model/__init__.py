"""Bayesian models: naive Bayes, counts, joint tables, Gaussian mixtures, networks."""
