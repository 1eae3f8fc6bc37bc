"""A misspelled name gets the name that was meant, wherever names are looked up."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import vaglio
from vaglio import AQClassifier, C45Classifier, RIPPERClassifier, RuleSet
from vaglio.errors import VaglioError
from vaglio.evaluation.selection.splits import test_share as share_of
from vaglio.evaluation.selection.strategies import find_strategy
from vaglio.model.base import Smoothing

SOURCES = Path(vaglio.__file__).parent
X, Y = np.arange(20.0).reshape(-1, 2), np.arange(10) % 2


MISSPELLED = {
    "laplace": lambda: Smoothing("laplce"),
    "quality": lambda: RuleSet((), (), ("a",), (1.0,), (1.0,), resolution="qualty"),
    "python": lambda: C45Classifier().fit(X, Y).fitted_.export("pyton"),
    "positives": lambda: AQClassifier(preference=["postives"]).fit(X, Y),
    "x0": lambda: RIPPERClassifier(forbid=["X0"]).fit(X, Y),
    "80-20": lambda: share_of("80-2O"),
    "standard": lambda: find_strategy("standart"),
}


@pytest.mark.parametrize("meant", MISSPELLED)
def test_the_error_names_what_was_meant(meant):
    with pytest.raises(VaglioError, match=f"did you mean '?{meant}"):
        MISSPELLED[meant]()


def test_no_message_lists_known_names_without_looking_for_a_near_one():
    # "There is no X; there are …" is written by did_you_mean alone.
    by_hand = re.compile(r"""There is no [a-z ]+\{[^}]+\}[;:,] (?:there are|known are|use one of|the [a-z]+ are) \{""")
    found = [path.name for path in sorted(SOURCES.rglob("*.py")) if by_hand.search(path.read_text(encoding="utf-8"))]
    assert found == []
