"""Intervals of predicted numbers: their coverage, their ranks, what a file says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation import RegressionEvaluation, evaluate_by_folds
from vaglio.fitted.residuals import Residuals


def table(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors that are skewed: an interval is not the prediction plus and minus one width."""
    X = rng.normal(size=(n, 3))
    return X, X @ [2.0, -1.0, 0.0] + rng.gamma(1.5, 2.0, n)


@pytest.mark.slow
@pytest.mark.parametrize("coverage", [pytest.param(0.5, marks=pytest.mark.nightly), 0.8, 0.95])
@pytest.mark.parametrize(
    ("learner", "source"),
    [
        (vaglio.LinearRegression(), "folds"),
        (vaglio.DecisionTreeRegressor(max_depth=3), "folds"),
        (vaglio.KNeighborsRegressor(), "rows"),
        (vaglio.RandomForestRegressor(30, min_samples_leaf=3, oob_score=True, random_state=0), "out-of-bag"),
    ],
)
def test_intervals_contain_what_they_promise(learner: Any, source: str, coverage: float) -> None:
    """Over 25 tables: the mean share of new rows inside; one table of 120 rows varies by some percent."""
    shares = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = table(rng, 120)
        new, truth = table(rng, 1000)
        if source == "rows":
            model = learner.fit(X[:60], y[:60]).fitted_
            model = model.with_residuals(y[60:] - model.predict(X[60:]))
        else:
            model = learner.fit(X, y).fitted_
            if source == "folds":
                model = model.with_residuals(evaluate_by_folds(learner, X, y, n_splits=5, progress=False))
        assert model.residuals.source == source
        low, high = model.predict_interval(new, coverage).T
        shares.append(np.mean((low <= truth) & (truth <= high)))
    # The mean of 25 tables has a standard error of about 1 %; models of all rows are a little better than of folds.
    assert coverage - 0.02 < np.mean(shares) < coverage + 0.04


def test_the_ranks_are_those_of_exchangeable_rows() -> None:
    """Of n residuals and one more, every rank of the one more is as likely: counted over all of them."""
    for n in (9, 19, 37):
        values = np.arange(n + 1.0)
        for coverage in (0.2, 0.5, 0.8):
            inside = 0
            for left_out in values:
                low, high = Residuals.of(values[values != left_out]).ends(coverage)
                inside += low <= left_out <= high
            assert coverage - 1e-9 <= inside / (n + 1) <= coverage + 2 / (n + 1) + 1e-9


@pytest.mark.parametrize("n", range(2, 60))
def test_the_largest_share_that_a_refusal_names_is_given(n: int) -> None:
    residuals = Residuals.of(np.arange(n) - 0.5)
    with pytest.raises(InputError) as raised:
        residuals.ends(0.9999)
    named = float(str(raised.value).split("intervals of ")[1].split("%")[0])
    low, high = residuals.ends(named / 100)
    assert low < high


def test_too_few_residuals_and_strange_shares_are_refused() -> None:
    few = Residuals.of(range(9))
    assert few.ends(few.most) == (0.0, 8.0)
    with pytest.raises(InputError, match=r"9 residuals give intervals of 80\.00% at most"):
        few.ends(0.9)
    for share in (0, 1, -1, 2, float("nan")):
        with pytest.raises(InputError, match="between 0 and 1"):
            few.ends(share)


def test_many_residuals_are_kept_as_quantiles() -> None:
    values = np.random.default_rng(0).normal(size=100_000)
    kept = Residuals.of(values)
    assert (kept.rows, len(kept.values)) == (100_000, 1999)
    for coverage in (0.5, 0.9, 0.99):
        low, high = kept.ends(coverage)
        assert np.mean((values >= low) & (values <= high)) == pytest.approx(coverage, abs=2e-3)


def test_a_file_keeps_residuals_and_an_edit_drops_them(tmp_path: Any) -> None:
    X, y = table(np.random.default_rng(0), 200)
    learner = vaglio.ExplainableBoostingRegressor(max_rounds=20, interactions=0, random_state=0)
    model = learner.fit(X, y).fitted_.with_residuals(np.linspace(-1, 3, 50))
    model.save(tmp_path / "model.vaglio")
    again = vaglio.load(tmp_path / "model.vaglio")
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    assert again.digest == model.digest
    changed = again.edit(model.codebook.names[0], "remove")
    with pytest.raises(NotSupportedError, match="with_residuals"):
        changed.predict_interval(X)
    with pytest.raises(NotSupportedError, match="models of numbers"):
        vaglio.DecisionTreeClassifier().fit(X, y > 3).fitted_.predict_interval(X)


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {"rows": 3, "source": "rows", "values": "abc"},
        {"rows": 1, "source": "rows", "values": [1.0, 2.0]},
        {"rows": True, "source": "rows", "values": [1.0]},
        {"rows": 3, "source": "elsewhere", "values": [1.0, 2.0]},
        {"rows": 3, "source": "rows", "values": [1.0, float("nan")]},
        {"rows": 3, "source": "rows", "values": [1.0, None]},
        {"rows": 3, "source": "rows", "values": [10**400]},
        {"rows": 3, "source": [], "values": [1.0]},
        {"rows": 10**6, "source": "rows", "values": [0.0] * 5000},
    ],
)
def test_nothing_in_a_file_is_trusted(state: Any) -> None:
    assert Residuals.from_state(state) is None


def test_weights_of_zero_and_unknown_errors_do_not_count() -> None:
    X, y = table(np.random.default_rng(0), 60)
    weight = np.r_[np.zeros(20), np.ones(40)]
    learner = vaglio.LinearRegression()
    found = RegressionEvaluation.from_predictions(y, y * 0.9, sample_weight=weight)
    assert learner.fit(X, y).fitted_.with_residuals(found).residuals.rows == 40
    assert Residuals.of([1.0, np.nan, 2.0]).rows == 2
    with pytest.raises(InputError, match="no residuals"):
        Residuals.of([np.nan])
