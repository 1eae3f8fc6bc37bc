"""No advice changes the columns that nobody can change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import ColumnError
from vaglio.learners.registry import LEARNERS

LEARNT = ("c45", "ripper", "naive-bayes", "logistic", "svm", "knn", "random-forest", "gradient-boosting")


def people(n=120):
    """The class follows the age mostly, and what is paid a little; the day of a first visit tells what the age does."""
    rng = np.random.default_rng(5)
    age, paid = rng.integers(18, 80, n), rng.normal(size=n)
    y = np.where(age + 8 * paid + rng.normal(size=n) > 50, "yes", "no")
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(age, unit="D")
    return pd.DataFrame({"age": age.astype(float), "day": day, "paid": paid}), y


@pytest.mark.parametrize("learner", LEARNT)
def test_no_learner_advises_to_change_an_age_or_a_date(learner):
    X, y = people()
    model = LEARNERS[learner].make().fit(X, y).fitted_
    rows = X.iloc[:8]
    kept = [each.counterfactual for each in model.explain(rows, fixed=["age", "day"])]
    found = [each for each in kept if each]
    assert all(change.feature == "paid" for each in found for change in each.changes)
    for at, each in enumerate(kept):
        if each is None:
            continue
        changed = rows.iloc[[at]].copy()
        for change in each.changes:
            changed[change.feature] = change.instead
        assert model.predict(changed)[0] == each.decision


def test_a_column_that_is_not_there_is_named():
    X, y = people()
    model = vaglio.C45Classifier().fit(X, y).fitted_
    with pytest.raises(ColumnError, match="no column 'Age': did you mean 'age'"):
        model.explain(X[:1], fixed=["Age"])


def test_the_command_takes_fixed_columns(tmp_path):
    X, y = people()
    X.drop(columns="day").assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    run_here("train", tmp_path / "t.csv", "--target", "y", "--learner", "logistic", "--out", tmp_path / "m.vaglio")
    plain = run_here("explain", tmp_path / "m.vaglio", tmp_path / "t.csv", "--limit", "10").out
    kept = run_here("explain", tmp_path / "m.vaglio", tmp_path / "t.csv", "--limit", "10", "--fixed", "age").out
    assert "if age were" in plain
    assert "if age were" not in kept
