"""Bagging, random forests, boosting, and what forests know about similarity."""
