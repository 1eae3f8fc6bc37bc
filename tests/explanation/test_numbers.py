"""Explanations of predicted numbers: sums that add up in the unit of the target, and changes that move it."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.explained_rows import explain_tables
from vaglio.explanation.goal import Move
from vaglio.learners.registry import REGRESSORS
from vaglio.table import Table

pytestmark = pytest.mark.filterwarnings("ignore")


@cache
def flats(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "area": rng.gamma(9, 9, n).round(),
            "zone": rng.choice(["centre", "east", "west"], n),
            "floor": rng.integers(0, 6, n).astype(float),
            "energy": rng.normal(100, 20, n).round(1),
        }
    )
    price = 1900 * frame["area"] + 60_000 * (frame["zone"] == "centre") - 300 * frame["energy"]
    frame.loc[::13, "floor"] = np.nan
    return frame, np.asarray(price + rng.normal(0, 6000, n)).round()


@cache
def trained(learner: str) -> Any:
    made = REGRESSORS[learner].make()
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    return made.fit(*flats())


def changed(row: pd.DataFrame, changes: Any) -> pd.DataFrame:
    """The row with the changes made, as a user would make them."""
    other = row.copy()
    for change in changes:
        other[change.feature] = [change.instead]
    return other


@pytest.mark.slow
@pytest.mark.parametrize("learner", REGRESSORS)
def test_weights_in_the_unit_of_the_target_add_up(learner):
    X, _ = flats()
    model = trained(learner)
    for explanation, number in zip(model.explain(X[:6], counterfactual=False), model.predict(X[:6])):
        assert explanation.decision == pytest.approx(number)
        weights = [reason.weight for reason in (*explanation.reasons, *explanation.against)]
        if explanation.total is not None:
            assert sum(weights) == pytest.approx(number)
            assert explanation.in_units
        assert "runner" not in str(explanation)


@pytest.mark.slow
@pytest.mark.parametrize("learner", REGRESSORS)
@pytest.mark.parametrize("change", ["-10%", "+15000", True])
def test_every_change_told_moves_the_number_as_far_as_told(learner, change):
    X, _ = flats()
    model, rows = trained(learner), X.iloc[[1, 13, 40]]
    before, found = model.predict(rows), 0
    for i, explanation in enumerate(model.explain(rows, counterfactual=change)):
        other = explanation.counterfactual
        if other is None:
            continue
        found += 1
        after = model.predict(changed(rows.iloc[[i]], other.changes))[0]
        assert after == pytest.approx(other.decision)
        least = {"-10%": -0.1 * before[i], "+15000": 15_000, True: 0.1 * before[i]}[change]
        assert (after - before[i] if change is not True else abs(after - before[i])) / least >= 1 - 1e-9
        for size in range(1, len(other.changes)):
            for fewer in combinations(other.changes, size):
                moved = model.predict(changed(rows.iloc[[i]], fewer))[0] - before[i]
                assert (moved if change is not True else abs(moved)) / least < 1, "a change was needless"
        for step in other.changes:
            if X[step.feature].dtype.kind == "f":
                assert X[step.feature].min() <= step.instead <= X[step.feature].max()
        assert ("lower" in other.goal) == (other.decision < before[i])
    assert found, "no change was found for any row"


@pytest.mark.parametrize(("lang", "words"), [("en", "on average"), ("it", "in media")])
def test_the_headline_tells_the_sum(lang, words):
    X, _ = flats()
    explanation = trained("random-forest").explain(X[:1])[0]
    line = explanation.to_text(lang).splitlines()[0]
    assert words in line
    assert line.count(", ") >= 2
    assert words in explanation.to_html(lang)


def test_a_tree_tells_what_each_column_adds_to_the_mean():
    X, y = flats()
    model = vaglio.DecisionTreeRegressor(max_depth=3).fit(X, y)
    explanation = model.explain(X[:1])[0]
    start = next(r for r in explanation.reasons if "mean of the training rows" in r.text)
    assert start.weight == pytest.approx(y.mean())


def test_a_tree_of_medians_says_so():
    X, y = flats()
    model = vaglio.DecisionTreeRegressor(criterion="absolute_error", max_depth=2).fit(X, y)
    told = str(model.explain(X[:1])[0])
    assert "median of the training rows" in told
    assert "the prediction is their median" in told
    assert all(rule.spread is None for rule in model.rules())


@pytest.mark.parametrize("settings", [{}, {"ccp_alpha": 1e7}, {"missing": "fractional", "min_samples_leaf": 10}])
def test_rules_of_numbers_have_mean_spread_and_rows(settings):
    X, y = flats()
    model = vaglio.DecisionTreeRegressor(**{"max_depth": 4, **settings}).fit(X, y)
    matrix = model._encode(X)
    for rule in model.rules():
        share = np.asarray(rule.match(matrix), dtype=float)
        mean = np.average(y, weights=share)
        assert rule.label == pytest.approx(mean)
        assert rule.rows == pytest.approx(share.sum())
        assert rule.spread == pytest.approx(np.sqrt(np.average((y - mean) ** 2, weights=share)), abs=1e-3)
    frame = model.rules().to_frame()
    assert list(frame.columns) == ["conditions", "label", "rows", "coverage", "spread"]
    assert "rows, ± " in str(model.rules())


def test_deviances_of_counts_are_no_spread():
    X, y = flats()
    model = vaglio.DecisionTreeRegressor(criterion="poisson", max_depth=2).fit(X, np.abs(y))
    assert all(rule.spread is None for rule in model.rules())


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_any_unit_has_the_same_changes(unit):
    X, y = flats()
    plain, scaled = (vaglio.LinearRegression(alpha=0).fit(X, v).explain(X[:3]) for v in (y, y * unit))
    for one, other in zip(plain, scaled):
        assert one.counterfactual.changes == other.counterfactual.changes


def test_the_largest_errors_are_explained_first():
    X, y = flats()
    model = vaglio.DecisionTreeRegressor(max_depth=2).fit(X, y)
    table = Table.from_any(X.assign(price=y))
    explained, chosen = explain_tables(model.fitted_, [table[:50], table[50:]], "price", wrong=True, most=3)
    errors = np.abs(model.predict(X) - y)
    assert chosen == len(y)
    assert [item.number - 1 for item in explained] == np.argsort(-errors, kind="stable")[:3].tolist()
    assert "too" in explained[0].heading


@pytest.mark.parametrize("written", ["", "ten", "0%", "-0", "10%%", "inf"])
def test_other_words_are_no_change(written):
    with pytest.raises(InputError, match="is not a change of a predicted number"):
        Move.read(written)


def test_a_number_of_nothing_has_no_share():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]})
    model = vaglio.LinearRegression(alpha=0).fit(X, [0.0, 10.0, 20.0, 30.0])
    assert model.explain(X[:1])[0].counterfactual is None or abs(model.predict(X[:1])[0]) > 0
    assert model.explain(X[:1], counterfactual=5)[0].counterfactual is not None


def test_a_model_of_classes_refuses_a_change_of_numbers():
    X, y = vaglio.datasets.load("play").xy("play")
    with pytest.raises(InputError, match="predicts classes"):
        vaglio.C45Classifier().fit(X, y).explain(X, counterfactual="-10%")
