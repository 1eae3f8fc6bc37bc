"""A test that tells missing values of an ordered column from all others: its threshold is infinite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vaglio


@pytest.fixture(scope="module")
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    """An ordered column whose missing values say more of the class than its values."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    size = pd.Series(pd.Categorical(random.choice(["low", "mid", "high"], 200), ["low", "mid", "high"], ordered=True))
    size[(y == 1) & (random.random(200) < 0.7)] = None
    return pd.DataFrame({"size": size, "amount": random.normal(size=200)}), y


@pytest.mark.parametrize(
    "learner",
    [
        vaglio.CARTClassifier(max_depth=3),
        vaglio.RandomForestClassifier(5, max_depth=3, random_state=0),
        vaglio.BaggingClassifier(n_estimators=3, random_state=0),
        vaglio.AdaBoostClassifier(n_estimators=3),
        vaglio.HistGradientBoostingClassifier(max_iter=5, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_model_with_such_a_test_can_be_saved(
    learner: Any, rows: tuple[pd.DataFrame, np.ndarray], tmp_path: Path
) -> None:
    X, y = rows
    fitted = learner.fit(X, y).fitted_
    fitted.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [loaded.predict_one(record) for record in records] == loaded.predict(X).tolist()


def test_the_test_is_printed_as_missing_or_known(rows: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = rows
    tree = vaglio.CARTClassifier(max_depth=3).fit(X, y)
    assert np.isinf(tree.fitted_.model.threshold).any()
    assert "size IS MISSING" in str(tree.rules())
