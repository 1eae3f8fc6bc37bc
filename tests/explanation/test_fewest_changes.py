"""No counterfactual proposes a change that is not needed, with missing values too, whatever the learner."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.contracts.estimators import classifiers, mostly_slow, name_of
from tests.contracts.test_tables import mixed_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")


def table_with_holes(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three columns that decide together, one more, and a fifth of the cells missing."""
    X, _ = mixed_table(150, seed, holes=0.0)
    X["depth"] = np.random.default_rng(seed + 100).normal(5, 2, len(X))
    told = (X["size"] > 10).astype(int) + (X["colour"] == "red") + (X["depth"] > 5)
    holes = np.random.default_rng(seed).random(X.shape) < 0.2
    return X.astype({"count": float}).mask(holes), np.where(told >= 2, "yes", "no")


@pytest.mark.parametrize("estimator", mostly_slow(classifiers()), ids=name_of)
def test_no_proposed_change_is_superfluous(estimator: Any) -> None:
    X, y = table_with_holes(0)
    model = estimator.fit(X, y)
    rows = X.head(25)
    decided = model.predict(rows)
    for i, told in enumerate(model.explain(rows)):
        if told.counterfactual is None:
            continue
        proposed = told.counterfactual.changes
        parts = chain.from_iterable(combinations(proposed, size) for size in range(1, len(proposed)))
        for part in parts:
            one = rows.iloc[[i]].copy()
            for change in part:
                one[change.feature] = pd.Series([change.instead], index=one.index).astype(X[change.feature].dtype)
            assert model.predict(one)[0] == decided[i], (proposed, part)
