"""A column without a value in training, and a column with one value only, of every kind: nothing breaks anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import vaglio
from vaglio.learners.registry import LEARNERS
from vaglio.report import report_html

from ..estimators import all_estimators, mostly_slow, name_of, others_nightly
from ..test_tables import output, target_for

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

ROWS = 40
predictors = [e for e in all_estimators() if hasattr(e, "predict")]
# Kind -> dtype of the column, and a value of that kind.
KINDS: dict[str, tuple[Any, Any]] = {
    "words": ("string", "some"),
    "truth": ("boolean", True),
    "numbers": ("float64", 2.5),
    "whole numbers": ("Int64", 2),
    "dates": ("datetime64[us]", pd.Timestamp("2024-03-01")),
    "ordinal": (pd.CategoricalDtype(["low", "high"], ordered=True), "high"),
    "declared": (pd.CategoricalDtype(["red", "blue"]), "blue"),
    "undeclared": (pd.CategoricalDtype([]), None),
    "no dtype": (object, "some"),
}


def table(filled: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """A number and a word that decide the class, between them one column of each kind with no value, or with one."""
    rng = np.random.default_rng(0)
    size, colour = rng.integers(0, 20, ROWS), rng.choice(["red", "green", "blue"], ROWS)
    asked = {kind: pd.Series([value if filled else None] * ROWS, dtype=dtype) for kind, (dtype, value) in KINDS.items()}
    y = np.where(size > 11, "big", np.where(colour == "red", "red one", "other"))
    return pd.DataFrame({"size": size, **asked, "colour": colour}), y


@pytest.mark.parametrize("filled", [False, True], ids=["empty", "constant"])
@pytest.mark.parametrize("estimator", others_nightly(mostly_slow(predictors)), ids=name_of)
def test_columns_without_a_value_and_with_one(estimator: Any, filled: bool, tmp_path: Any) -> None:
    X, y = table(filled)
    other, _ = table(not filled)
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    fitted.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    for rows in (X, other):
        assert np.isfinite(output(fitted, rows)).all()
        np.testing.assert_array_equal(output(loaded, rows, like=fitted), output(fitted, rows))
        for explanation, predicted in zip(loaded.explain(rows.head(2)), fitted.predict(rows.head(2)), strict=True):
            assert explanation.to_text()
            assert explanation.decision == predicted or not is_classifier(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_explains_each_kind_alone(kind: str) -> None:
    (empty, y), (constant, _) = table(filled=False), table(filled=True)
    for X in (empty, constant):
        fitted = vaglio.RandomForestClassifier(5, random_state=0).fit(X[["size", kind]], y)
        for rows in (empty, constant):
            assert fitted.explain(rows[["size", kind]].head(1))[0].decision == fitted.predict(rows[["size", kind]])[0]


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_a_report_with_empty_and_constant_columns(learner: str) -> None:
    (X, y), (constant, _) = table(filled=False), table(filled=True)
    X = X.join(constant[list(KINDS)].add_prefix("constant "))
    study = vaglio.Study(X.assign(answer=y), "answer", learners=[learner], strategy="zero").run(progress=False)
    assert "<html" in report_html(study)
