"""Traces of rule learners."""
