"""Small tables for examples and tests: two that ship with the package, and those of scikit-learn.

Examples
--------
>>> from vaglio import datasets
>>> datasets.names()
['breast-cancer', 'digits', 'iris', 'penguins', 'play', 'weather', 'wine']
>>> datasets.load("play").shape
(14, 5)
"""

from vaglio.datasets._catalogue import Dataset, describe, load, names

__all__ = ["Dataset", "describe", "load", "names"]
