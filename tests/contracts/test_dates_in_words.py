"""A date is a date wherever a person reads one: no text shows the days since 1970 that models compute with."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor
from tests.contracts.estimators import classifiers, name_of, others_nightly, regressors

import vaglio
from vaglio.errors import VaglioError
from vaglio.explanation.chapter import ChapterLimits, chapters
from vaglio.fitted import export_formats
from vaglio.learners.registry import LEARNERS

# Forms that people read; programs get days since 1970 or dates, as each says.
READ = ("text", "tree", "svg")
# Days since 1970 of the dates below, and thresholds between them.
_DAYS = re.compile(r"(?<![\d.])197[2-8]\d(?:\.\d+)?(?!\d)")


def table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return dates that decide the class and the number, beside noise."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=60)
    X = pd.DataFrame({"day": days, "x": rng.normal(size=60), "place": rng.choice(["a", "b"], 60)})
    return X, np.where(days < "2024-02-01", "early", "late"), np.arange(60) // 20 * 10.0 + rng.normal(size=60)


class Background:
    """What a chapter is written with."""

    target, ranking, support = "when", (), np.array([30, 30])

    def __init__(self, estimator: Any, rows: pd.DataFrame, y: np.ndarray) -> None:
        self.estimator, self._rows = estimator, (vaglio.Table.from_any(rows), y)

    def rows(self) -> tuple[vaglio.Table, np.ndarray]:
        return self._rows

    def maps(self, fitted: Any) -> list[dict[str, Any]]:
        return []


def strings(value: Any) -> Iterator[str]:
    """Yield the texts of a chapter; its numbers are drawn on axes of dates."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from strings(inner)


def texts(estimator: Any, X: pd.DataFrame, y: np.ndarray) -> Iterator[tuple[str, str]]:
    """Yield what a person may read of a model, with where it stands."""
    model = estimator.fitted_
    yield "repr", repr(model)
    yield "page", model._repr_html_()
    for explanation in model.explain(X.iloc[[3, 50]]):
        yield "explanation", explanation.to_text()
    with contextlib.suppress(VaglioError):
        yield "rules", model.rules().to_text()
    forms = export_formats(model)
    yield from ((name, str(forms[name]())) for name in READ if name in forms)
    chapter = chapters.find(model.model.kind)(model, Background(estimator, X, y), ChapterLimits())
    yield from (("chapter", said) for said in strings(chapter))


@pytest.mark.parametrize("estimator", others_nightly([*classifiers(), *regressors()]), ids=name_of)
def test_no_text_shows_days_since_1970(estimator: Any) -> None:
    X, classes, numbers = table()
    y = numbers if is_regressor(estimator) else classes
    try:
        estimator.fit(X, y)
    except VaglioError:
        pytest.skip("learns from counts or words alone")
    for where, said in texts(estimator, X, y):
        assert not _DAYS.search(said), (where, said[:2000])


TRACED = ("id3", "cart", "naive-bayes", "gaussian-map", "joint-bayes", "bayes-net", "knn", "additive", "oblique")


@pytest.mark.slow
@pytest.mark.parametrize("learner", TRACED)
def test_a_trace_says_which_days_it_computes_with(learner: str) -> None:
    X, classes, _ = table()
    told = vaglio.trace(learner, X[::3], classes[::3], row=X.iloc[3]).to_text()
    if "day = 2024-01-04 counts as 19726" not in told:
        assert not _DAYS.search(told), told[:3000]
    assert re.search(r"2024-0\d-\d\d", told)


@pytest.mark.parametrize("learner", ["c45", "ripper", "cn2"])
def test_rules_of_dates_are_read_back(learner: str) -> None:
    X, classes, _ = table()
    times = X.assign(day=X["day"] + pd.to_timedelta(np.arange(60) * 1_234_567, unit="us"))
    for rows in (X, times):
        rules = LEARNERS[learner].make().fit(rows, classes).rules()
        again = vaglio.RuleSet.parse(rules.to_text())
        assert again.to_text() == rules.to_text()
        assert (again.predict(rows) == rules.predict(rows)).all()
        assert "COLUMN day: date" in rules.to_text()
