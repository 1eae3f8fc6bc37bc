"""Traces of nearest neighbours."""
