"""Splits, strategies and searches that choose a learner and its parameters."""
