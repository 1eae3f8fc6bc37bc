"""Drawings from plain data. Nothing here knows a learner."""
