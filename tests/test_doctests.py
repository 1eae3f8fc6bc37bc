"""The examples in the docstrings run, and print what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import vaglio

PACKAGE = Path(vaglio.__file__).parent
# The classes of vaglio.sklearn have scikit-learn's docstrings: tests/dropin compares what they compute.
MODULES = [
    ".".join(("vaglio", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8") and path.relative_to(PACKAGE).parts[0] != "sklearn"
]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name: str):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 0, "an example that doctest does not find is not run"
    assert outcome.failed == 0
