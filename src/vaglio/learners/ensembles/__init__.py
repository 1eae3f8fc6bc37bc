"""Bagging, AdaBoost and voting: several models that decide together."""
