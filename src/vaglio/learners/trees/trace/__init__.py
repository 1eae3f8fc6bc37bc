"""Traces of decision trees."""
