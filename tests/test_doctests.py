"""The examples in the docstrings run, and print what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import vaglio


@pytest.mark.parametrize(
    "name", [m.name for m in pkgutil.walk_packages(vaglio.__path__, "vaglio.") if m.name != "vaglio.__main__"]
)
def test_examples_of(name: str):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0
