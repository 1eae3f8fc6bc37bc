"""The examples in the docstrings run, and print what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import vaglio

# The classes of vaglio.sklearn have scikit-learn's docstrings: tests/dropin compares what they compute.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(vaglio.__path__, "vaglio.")
    if not module.name.endswith("__main__") and not module.name.startswith("vaglio.sklearn.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name: str):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0
