"""Comparisons with other libraries. Not part of the installed package; ``python -m benchmarks [TASK]`` runs them."""
