"""Bias and variance, the majority vote, the VC dimension."""
