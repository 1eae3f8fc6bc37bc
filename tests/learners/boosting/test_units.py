"""Numbers in another unit are predicted alike by boosting and additive models: predictions scale with y."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions
from tests.contracts.estimators import regressors

from vaglio import HistGradientBoostingRegressor
from vaglio.learners.boosting.estimators.summed import SummedRegressor

LOSSES = ("loss", "objective")


def with_every_loss() -> list[Any]:
    made = []
    for estimator in (each for each in regressors() if isinstance(each, SummedRegressor)):
        for parameter in set(LOSSES) & set(estimator.get_params()):
            given = estimator._parameter_constraints[parameter]
            names = sorted({name for one in given if isinstance(one, StrOptions) for name in one.options})
            made += [clone(estimator).set_params(**{parameter: name}) for name in names]
    for estimator in made:
        if estimator.get_params().get("loss") == "quantile":
            estimator.set_params(quantile=0.7)
    return made


def name_of(estimator: Any) -> str:
    loss = next(value for name, value in estimator.get_params().items() if name in LOSSES)
    return f"{type(estimator).__name__}-{loss}"


def rows(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc")).assign(word=rng.choice(list("pqr"), n))
    mean = np.exp(0.6 * X["a"] - 0.4 * X["b"] * (X["word"] == "p"))
    return X.mask(rng.random(X.shape) < 0.05), rng.gamma(2.0, mean / 2) + 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.nightly), True], ids=["", "weighted"])
@pytest.mark.parametrize("estimator", with_every_loss(), ids=name_of)
def test_predictions_scale_with_y(estimator: Any, weighted: bool) -> None:
    X, y = rows()
    weight = np.random.default_rng(1).uniform(0.5, 3, len(y)) if weighted else None
    expected = clone(estimator).fit(X, y, sample_weight=weight).predict(X)
    assert np.ptp(expected) > 0
    for unit in (1e-100, 2.0**-30, 1e-6, 3.0, 1e9, 1e60):
        found = clone(estimator).fit(X, unit * y, sample_weight=weight).predict(X)
        np.testing.assert_allclose(found / unit, expected, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_scores_of_rounds_are_in_the_unit_of_y(loss: str) -> None:
    X, y = rows()
    seen = []

    def score(estimator: Any, _: Any, given: np.ndarray) -> float:
        seen.append((given.mean(), estimator.predict(_).mean()))
        return -float(np.abs(given - estimator.predict(_)).mean())

    options = {"loss": loss, "random_state": 0, "max_iter": 20}
    for scoring in (score, "neg_mean_absolute_error"):
        small, large = (
            HistGradientBoostingRegressor(scoring=scoring, **options).fit(X, unit * y) for unit in (1.0, 1e6)
        )
        np.testing.assert_allclose(large.validation_score_, 1e6 * small.validation_score_, rtol=1e-6)
        np.testing.assert_allclose(large.predict(X), 1e6 * small.predict(X), rtol=1e-6)
    given, predicted = np.array(seen).T
    assert (predicted / given > 0.5).all()
    assert (predicted / given < 2).all()


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_more_rounds_go_on_in_the_same_unit(loss: str) -> None:
    X, y = rows()
    options = {"loss": loss, "random_state": 0, "subsample": 1.0, "max_features": 1.0, "early_stopping": False}
    once = HistGradientBoostingRegressor(max_iter=12, n_models=1, **options).fit(X, 1e6 * y)
    model = HistGradientBoostingRegressor(max_iter=5, warm_start=True, **options).fit(X, 1e6 * y)
    model.set_params(max_iter=12).fit(X, 1e6 * y)
    np.testing.assert_allclose(model.predict(X), once.predict(X), rtol=1e-6)
    stages = list(model.staged_predict(X))
    assert len(stages) == 12
    np.testing.assert_allclose(stages[-1], model.predict(X), rtol=1e-9)
