"""Every object that a notebook may show has an HTML form with balanced tags."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import vaglio

VOID = {"br", "hr", "img", "input", "meta", "link", "col", "circle", "rect", "line", "path", "polygon", "stop", "use"}


class Balance(HTMLParser):
    """Collects tags that are not closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value for name, value in attrs if name in ("src", "srcset") and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    table = vaglio.datasets.load("play")
    X, y = table.xy("play")
    learners = ["naive-bayes", "c45"]
    tree = vaglio.C45Classifier().fit(X, y)
    return {
        "Table": table,
        "Audit": vaglio.audit(table),
        "estimator": tree,
        "Fitted": tree.fitted_,
        "RuleSet": tree.rules(),
        "Explanation": tree.explain(X[:1])[0],
        "Evaluation": vaglio.evaluate(tree, X, y),
        "Comparison": vaglio.compare(table, "play", learners=learners, folds=2, noise=(), missing=(), sizes=()),
        "Selection": vaglio.select(table, "play", learners=learners, strategy="quick"),
        "Study": vaglio.Study(table, "play", learners=learners, strategy="quick").run(),
        "Trace": vaglio.trace("naive-bayes", X, y, row=["sunny", "cool", "high", "true"]),
    }


NAMES = [
    "Table",
    "Audit",
    "estimator",
    "Fitted",
    "RuleSet",
    "Explanation",
    "Evaluation",
    "Comparison",
    "Selection",
    "Study",
    "Trace",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_html_is_balanced_and_fetches_nothing(name: str, things):
    page = Balance()
    page.feed(things[name]._repr_html_())
    page.close()
    assert page.wrong == []
    assert page.open == []
    assert page.fetched == []


def test_all_objects_are_tested(things):
    assert list(things) == NAMES
