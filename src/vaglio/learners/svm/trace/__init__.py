"""Traces of support vector machines and of kernels."""
