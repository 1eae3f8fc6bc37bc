"""Simulations that ask whether every printed interval, test and warning does what it says.

A simulation draws a table from a world whose truth is known and says whether what vaglio prints is right. ``make
honest`` runs all of them and writes ``docs/honest.md``; ``tests/test_honest.py`` runs a short form.
"""

# Each has SIMULATIONS.
MODULES = ("intervals", "comparisons", "strategies", "calibrations", "audits")
