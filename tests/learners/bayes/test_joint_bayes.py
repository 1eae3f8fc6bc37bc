"""The joint table: the notes' example, missing values summed over, and the refusal of hopeless tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import JointBayesClassifier
from vaglio.errors import DataWarning, NotSupportedError

pytestmark = pytest.mark.filterwarnings("ignore::vaglio.errors.DataWarning")


def discretised_iris() -> tuple[pd.DataFrame, np.ndarray]:
    """A table with 0, 20 and 17 of 50 rows of each class in the cell [medium, medium]."""
    rows = []
    for label, inside in (("Setosa", 0), ("Versicolor", 20), ("Virginica", 17)):
        rows += [("medium", "medium", label)] * inside + [("low", "high", label)] * (50 - inside)
    frame = pd.DataFrame(rows, columns=["length", "width", "class"])
    return frame[["length", "width"]], frame["class"].to_numpy()


def test_map_on_discretised_iris() -> None:
    X, y = discretised_iris()
    model = JointBayesClassifier(alpha=0, priors="equal").fit(X, y)
    row = pd.DataFrame({"length": ["medium"], "width": ["medium"]})
    np.testing.assert_allclose(model.fitted_.model.likelihood(model._encode(row))[0], [0, 0.4, 0.34])
    assert model.predict(row).tolist() == ["Versicolor"]
    products = np.exp(model.fitted_.model.joint_log_likelihood(model._encode(row)))[0]
    assert [f"{product:.2f}" for product in products] == ["0.00", "0.13", "0.11"]
    explanation = model.explain(row)[0]
    assert explanation.notes[0].startswith("Versicolor: 0.4 · ")
    assert explanation.reasons[0].text == "together: length = medium, width = medium"


def random_table(seed: int = 0, n: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.choice(list("xyz"), n) for name in "abc"}), rng.integers(0, 2, n)


def test_against_counting_by_hand() -> None:
    X, y = random_table()
    model = JointBayesClassifier(alpha=0.5).fit(X, y)
    assert model.n_cells_ == 27
    for values in (("x", "y", "z"), ("z", "z", "z")):
        same = (list(values) == X).all(axis=1).to_numpy()
        expected = [((same & (y == c)).sum() + 0.5) / ((y == c).sum() + 0.5 * 27) for c in (0, 1)]
        row = pd.DataFrame([values], columns=list("abc"))
        np.testing.assert_allclose(model.fitted_.model.likelihood(model._encode(row))[0], expected)


def test_a_missing_value_is_summed_over() -> None:
    X, y = random_table()
    model = JointBayesClassifier().fit(X, y)
    likelihood = model.fitted_.model.likelihood
    rows = pd.DataFrame({"a": ["x"] * 3, "b": ["x", "y", "z"], "c": ["y"] * 3})
    holed = rows.head(1).assign(b=None)
    np.testing.assert_allclose(likelihood(model._encode(holed))[0], likelihood(model._encode(rows)).sum(axis=0))
    nothing = pd.DataFrame({"a": [None], "b": [None], "c": [None]}, dtype=object)
    np.testing.assert_allclose(likelihood(model._encode(nothing))[0], [1, 1])


def test_too_many_cells_are_warned_of_and_then_refused() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.choice(list("abcdefgh"), 100) for j in range(12)})
    with pytest.raises(NotSupportedError, match=r"6\.87e\+10 cells"):
        JointBayesClassifier().fit(X, rng.integers(0, 2, 100))
    with pytest.warns(DataWarning, match="512 cells per class for 100 rows"):
        JointBayesClassifier().fit(X.iloc[:, :3], rng.integers(0, 2, 100))


def test_what_naive_bayes_cannot_tell() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.choice(["p", "q"], (200, 2)), columns=["a", "b"])
    y = (X["a"] == X["b"]).to_numpy()
    assert JointBayesClassifier().fit(X, y).score(X, y) == 1
    assert vaglio.NaiveBayesClassifier().fit(X, y).score(X, y) < 0.7


def test_sample_and_save(tmp_path) -> None:
    X, y = random_table(n=400)
    X["number"] = np.random.default_rng(2).normal(3.0 * y)
    model = JointBayesClassifier(alpha=0.1).fit(X, y)
    drawn = model.sample(3000, label=1, random_state=0)
    assert abs(drawn["number"].mean() - X["number"][y == 1].mean()) < 0.5
    assert set(drawn["a"]) == set("xyz")
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
