"""The page about explanations shows what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import vaglio

PAGE = Path(__file__).parents[2] / "docs" / "explain.md"


def test_the_outputs_on_the_page_are_real():
    page = PAGE.read_text(encoding="utf-8")
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = vaglio.NaiveBayesClassifier().fit(X, y)
    explanation = model.explain(X[[338]])[0]
    shown = re.findall(r"^```\w*\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)[1]
    assert str(explanation).strip() == shown.strip()
    change = explanation.counterfactual
    for text in (str(change.changes), repr(change.decision), f"{change.distance:.2f}"):
        assert text in page
