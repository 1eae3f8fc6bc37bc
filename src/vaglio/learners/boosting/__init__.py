"""Gradient boosting."""
