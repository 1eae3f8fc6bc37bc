"""Distances in nominal columns of many values: a difference counts as much as the column is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_distances_by_definition(metric: str) -> None:
    random = np.random.default_rng(0)
    n = 300
    y = random.integers(0, 2, n)
    told = np.where(random.random(n) < 0.4, y * 15 + random.integers(0, 15, n), random.integers(0, 30, n))
    codes = np.column_stack([told, random.integers(0, 100, n), random.integers(0, 4, n)])
    X = pd.DataFrame({name: [f"v{c}" for c in column] for name, column in zip(("told", "noise", "few"), codes.T)})
    X.loc[:20, "told"] = None
    X["number"] = random.normal(size=n)
    model = vaglio.KNeighborsClassifier(5, metric=metric).fit(X, y)
    r = model.reliability_
    assert 0 < r["told"] < 0.5  # or a difference would count in full
    assert r["noise"] == 0
    share = np.array([2 * r["told"], 0.0, 1.0])
    number = X["number"].to_numpy() / (np.sqrt(2) * X["number"].std(ddof=0))
    unequal = codes[:, None, :] != codes[None, :, :]
    unequal[:21, :, 0] = unequal[:, :21, 0] = True
    each = np.dstack([np.abs(number[:, None] - number[None]), share * unequal])
    join = {
        "euclidean": lambda d: np.sqrt((d**2).sum(axis=2)),
        "manhattan": lambda d: d.sum(axis=2),
        "chebyshev": lambda d: d.max(axis=2),
    }
    expected = np.sort(join[metric](each), axis=1)[:, :5]
    assert model.kneighbors(X)[0] == pytest.approx(expected)


def test_numbers_are_predicted_without_columns_of_noise() -> None:
    random = np.random.default_rng(1)
    X = pd.DataFrame({"x": random.normal(size=300)})
    noisy = X.assign(code=[f"v{c}" for c in random.integers(0, 75, 300)])
    y = X["x"] + 0.1 * random.normal(size=300)
    model = vaglio.KNeighborsRegressor(5).fit(noisy, y)
    assert model.reliability_ == {"code": 0.0}
    assert model.predict(noisy) == pytest.approx(vaglio.KNeighborsRegressor(5).fit(X, y).predict(X))
