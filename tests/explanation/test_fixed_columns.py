"""No advice changes the columns that nobody can change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.encode import Feature, Spread
from vaglio.errors import ColumnError, InputError
from vaglio.explanation.fixed_columns import fixed_columns
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
    told = model.explain(rows)
    named = model.explain(rows, fixed=["age", "day"])
    kept = [each.counterfactual for each in told]
    assert kept == [each.counterfactual for each in named]
    assert any(note.code == "columns-kept-fixed" for each in told for note in each.notes)
    assert not any(note.code == "columns-kept-fixed" for each in named for note in each.notes)
    found = [each for each in kept if each]
    assert all(change.feature == "paid" for each in found for change in each.changes)
    for at, each in enumerate(kept):
        if each is None:
            continue
        changed = rows.iloc[[at]].copy()
        for change in each.changes:
            changed[change.feature] = change.instead
        assert model.predict(changed)[0] == each.decision


NAMES = {
    True: (
        [
            "age",
            "Age_of_customer",
            "patientAge",
            "ETÀ",
            "eta'",
            "Alter",
            "âge",
            "edad",
            "idade",
            "date of birth",
            "dob",
            "Data di nascita",
            "Geburtsdatum",
            "fecha_nacimiento",
            "birthYear",
            "sex",
            "Gender",
            "sesso",
            "Geschlecht",
            "nationality",
            "Cittadinanza",
            "Staatsangehörigkeit",
            "race",
            "customer_id",
            "rowId",
            "uuid",
        ]
    ),
    False: ["usage", "page", "average", "package", "essex", "salary", "beta", "theta", "alternative", "stage", "zip"],
}


@pytest.mark.parametrize("fixed", NAMES)
def test_the_name_of_a_column_tells_whether_it_can_change(fixed):
    features = [Feature(name) for name in NAMES[fixed]]
    assert fixed_columns(features, ()) == (tuple(NAMES[fixed]) if fixed else ())
    assert fixed_columns(features, (), NAMES[fixed]) == ()


def test_a_date_is_fixed_once_it_has_passed():
    features, spreads = [Feature("visit", is_date=True), Feature("paid")], [Spread((10.0, 90.0)), Spread((1.0, 2.0))]
    assert fixed_columns(features, spreads, today=90) == ("visit",)
    assert fixed_columns(features, spreads, today=89) == ()


def test_the_number_of_a_regression_is_not_moved_by_an_age():
    X, _y = people()
    number = X["age"].to_numpy() * 3 + X["paid"].to_numpy() * 40
    model = vaglio.LinearRegression().fit(X, number).fitted_
    moved = [each.counterfactual for each in model.explain(X[:8], counterfactual="+30") if each.counterfactual]
    free = model.explain(X[:8], counterfactual="+30", changeable=["age", "day"])
    assert {change.feature for each in moved for change in each.changes} == {"paid"}
    # Every row is a year older and a day later than the one before: the model tells the two apart by rounding alone.
    changed = {change.feature for each in free if each.counterfactual for change in each.counterfactual.changes}
    assert changed & {"age", "day"}
    assert not any(note.code == "columns-kept-fixed" for each in free for note in each.notes)
    with pytest.raises(InputError, match="'age' cannot be both in fixed and in changeable"):
        model.explain(X[:1], fixed=["age"], changeable=["age"])


def test_a_column_that_is_not_there_is_named():
    X, y = people()
    model = vaglio.C45Classifier().fit(X, y).fitted_
    with pytest.raises(ColumnError, match="no column 'Age': did you mean 'age'"):
        model.explain(X[:1], fixed=["Age"])


def test_the_command_takes_fixed_columns(tmp_path):
    X, y = people()
    X.drop(columns="day").assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    run_here("train", tmp_path / "t.csv", "--target", "y", "--learner", "logistic", "--out", tmp_path / "m.vaglio")
    explain = ["explain", tmp_path / "m.vaglio", tmp_path / "t.csv", "--limit", "10"]
    free, plain, kept = (run_here(*explain, *how).out for how in (["--changeable", "age"], [], ["--fixed", "age"]))
    assert "if age were" in free
    assert "if age were" not in plain + kept
    assert "advice keeps age fixed; to allow a change, set --changeable age" in plain
    assert "set --changeable" not in free + kept
