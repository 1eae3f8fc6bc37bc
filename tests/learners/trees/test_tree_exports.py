"""A grown tree, exported and executed: SQL in sqlite3 and Python without imports answer as the tree does."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vaglio

LEARNERS = {
    "c45": vaglio.C45Classifier(min_samples_leaf=1, pruning=None),
    "c45 pruned": vaglio.C45Classifier(),
    "id3": vaglio.ID3Classifier(),
    "cart": vaglio.CARTClassifier(),
    "binary, fractional": vaglio.DecisionTreeClassifier(missing="fractional"),
    "multiway, learned": vaglio.DecisionTreeClassifier(nominal_split="multiway"),
    "shrunken": vaglio.DecisionTreeClassifier(nominal_split="multiway", missing="fractional", shrinkage=4.0),
    "optimal": vaglio.OptimalTreeClassifier(),
    "oblique": vaglio.ObliqueTreeClassifier(),
    "oblique, fractional": vaglio.ObliqueTreeClassifier(missing="fractional"),
}


def table(seed: int, holes: float = 0.1) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers with a slanted border, words with quotes, and holes."""
    rng = np.random.default_rng(seed)
    n = 150
    frame = pd.DataFrame(
        {
            "size (cm)": rng.normal(0, 1, n).round(3),
            "weight": rng.normal(0, 10, n).round(3),
            "it's": rng.choice(["a", "b b", "c'c", 'd"d'], n),
        }
    )
    score = frame["size (cm)"] + frame["weight"] / 10 + (frame["it's"] == "b b")
    y = np.where(score > 0.5, "high", np.where(score < -0.5, "low", "it's between"))
    return frame.mask(rng.random(frame.shape) < holes), y


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_sql_and_python_answer_as_the_tree(name: str) -> None:
    X, y = table(0)
    model = LEARNERS[name].fit(X, y)
    fresh, _ = table(1, holes=0.25)
    rules = model.rules()
    expected = model.predict_proba(fresh)
    np.testing.assert_allclose(rules.predict_proba(model.fitted_.codebook.encode(fresh)), expected, atol=1e-12)

    space: dict[str, Any] = {}
    exec(rules.to_python("classify"), space)
    answers = [space["classify"](row, probabilities=True) for row in records(fresh)]
    np.testing.assert_allclose([[a[label] for label in model.classes_] for a in answers], expected, atol=1e-12)

    with sqlite3.connect(":memory:") as connection:
        fresh.to_sql("data", connection, index=False)
        found = connection.execute(rules.to_sql("data", probabilities=True)).fetchall()
    np.testing.assert_allclose([row[-len(model.classes_) :] for row in found], expected, atol=1e-12)


def test_rules_are_exclusive_and_exhaustive_on_complete_rows() -> None:
    X, y = table(0)
    complete, _ = table(2, holes=0.0)
    for learner in LEARNERS.values():
        model = learner.fit(X, y)
        matrix = model.fitted_.codebook.encode(complete)
        fired = sum(np.asarray(rule.match(matrix), dtype=float) for rule in model.rules())
        np.testing.assert_array_equal(fired, 1.0)
