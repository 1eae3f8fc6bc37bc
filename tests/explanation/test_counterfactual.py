"""What would change a decision really does: every learner, every bundled table, asked again by its own predict."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio import C45Classifier, CARTClassifier, LogisticRegression, MultinomialNB, NaiveBayesClassifier
from vaglio.explanation.counterfactual import Variants
from vaglio.learners.registry import LEARNERS
from vaglio.table import Column, Table

pytestmark = pytest.mark.filterwarnings("ignore")
TABLES = {"play": "play", "penguins": "species", "iris": "species"}
# Wider tables, for learners that are quick with them.
WIDER = {"wine": "cultivar", "breast-cancer": "diagnosis", "digits": "digit"}
QUICK = ("c45", "naive-bayes", "logistic", "knn", "random-forest", "ripper")


@cache
def trained(learner: str, table: str) -> tuple[Any, pd.DataFrame, np.ndarray]:
    X, y = vaglio.datasets.load(table).xy({**TABLES, **WIDER}[table])
    X, y = X.to_frame()[:600], np.asarray(y)[:600]
    return LEARNERS[learner].make().fit(X, y), X, y


def changed(frame: pd.DataFrame, row: int, explanation: Any) -> pd.DataFrame:
    """The row with the changes made, as a user would make them."""
    other = frame.iloc[[row]].astype(object)
    for change in explanation.counterfactual.changes:
        other[change.feature] = [change.instead]
    for name in frame.columns:
        if frame[name].dtype.kind in "fi":
            other[name] = other[name].astype(float)
    return other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "table"),
    [
        pytest.param(learner, table, marks=[] if learner in QUICK or table == "play" else [pytest.mark.nightly])
        for learner, table in [*product(LEARNERS, TABLES), *product(QUICK, WIDER)]
    ],
    ids=lambda value: value,
)
def test_every_change_told_flips_the_class(learner, table):
    model, X, _ = trained(learner, table)
    rows = np.linspace(0, len(X) - 1, 7 if table in ("play", "penguins") else 4).astype(int)
    decided = model.predict(X.iloc[rows])
    explanations = model.explain(X.iloc[rows])
    for row, label, explanation in zip(rows, decided, explanations):
        assert explanation.decision == label
        if explanation.counterfactual is None:
            continue
        other = explanation.counterfactual
        assert model.predict(changed(X, row, explanation))[0] == other.decision != label
        for change in other.changes:
            column = X[change.feature]
            assert change.instead is not None
            assert change.instead != change.value
            if column.dtype.kind in "fi":
                assert column.min() <= change.instead <= column.max()
                if (column.dropna() == column.dropna().round()).all():
                    assert change.instead == round(change.instead)
            else:
                assert change.instead in set(column.dropna())
    # A model that answers one class for every row, as boosting may on fourteen rows, has nothing to tell.
    if learner not in ("joint-bayes", "bernoulli-nb") and len(set(model.predict(X))) > 1:
        assert sum(e.counterfactual is not None for e in explanations) >= len(rows) // 2


def test_it_can_be_left_out():
    model, X, _ = trained("c45", "penguins")
    assert all(e.counterfactual is None for e in model.explain(X.head(), counterfactual=False))
    assert all(e.counterfactual is None for e in model.fitted_.explain(X.head(), counterfactual=False))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), preset=st.sampled_from([C45Classifier, CARTClassifier]))
def test_no_leaf_of_another_class_is_nearer(seed, preset):
    """Brute force over whole numbers: nothing with fewer columns, or as many and nearer, flips the class."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (40, 2)).astype(float)
    y = rng.integers(0, 2, 40)
    model = preset(min_samples_leaf=2).fit(X, y)
    row = X[0]
    explanation = model.explain(row[None])[0]
    scale = model.fitted_.codebook.spreads
    ways = []
    for a in range(5):
        for b in range(5):
            other = np.array([a, b], float)
            if model.predict(other[None])[0] != explanation.decision:
                moved = other != row
                far = sum(abs(other[j] - row[j]) / scale[j].scale for j in range(2))
                ways.append((int(moved.sum()), far))
    if explanation.counterfactual is None:
        assert not ways
    else:
        found = explanation.counterfactual
        fewest, nearest = min(ways)
        assert len(found.changes) == fewest
        assert found.distance <= nearest + 1e-4


def test_dates_are_dates():
    days = pd.date_range("2024-01-01", periods=60)
    X = pd.DataFrame({"signed": days, "x": np.arange(60.0) % 7})
    y = np.where(days < "2024-02-01", "early", "late")
    for model in (C45Classifier().fit(X, y), NaiveBayesClassifier().fit(X, y)):
        said = model.explain(X.iloc[[10]], changeable=["signed"])[0]
        (change,) = said.counterfactual.changes
        assert (change.feature, change.value) == ("signed", "2024-01-11")
        assert pd.Timestamp(change.instead) > pd.Timestamp("2024-01-11")
        other = X.iloc[[10]].assign(signed=pd.Timestamp(change.instead))
        assert model.predict(other)[0] == "late"
    assert "signed <= 2024-01-31 12:00:00" in str(C45Classifier().fit(X, y).explain(X.iloc[[10]])[0])


def test_words_are_left_out():
    documents = ["buy cheap pills now", "cheap pills", "meeting at noon", "see you at noon"] * 3
    table = Table([Column.text("text", documents)])
    y = ["spam", "spam", "ham", "ham"] * 3
    model = MultinomialNB()
    model.fit(table, y)
    row = Table([Column.text("text", ["cheap meeting at noon"])])
    said = model.explain(row)[0]
    assert said.decision == "ham"
    words = {change.instead for change in said.counterfactual.changes}
    assert words <= {"meeting", "at", "noon"}
    left = " ".join(word for word in ["cheap", "meeting", "at", "noon"] if word not in words)
    assert model.predict(Table([Column.text("text", [left])]))[0] == "spam"
    assert "did not have the word" in str(said)


def test_entries_of_sparse_rows_are_left_out():
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 2, (60, 8)).astype(float)
    y = (dense[:, 0] + dense[:, 1] > dense[:, 2]).astype(int)
    model = LogisticRegression().fit(sp.csr_array(dense), y)
    for row in range(10):
        said = model.explain(sp.csr_array(dense[[row]]))[0]
        if said.counterfactual:
            other = dense[[row]].copy()
            for change in said.counterfactual.changes:
                other[0, int(change.feature[1:])] = change.instead
            assert model.predict(sp.csr_array(other))[0] == said.counterfactual.decision != said.decision


@pytest.mark.slow
def test_unseen_and_missing_values_are_said():
    for learner in LEARNERS:
        model, X, _ = trained(learner, "penguins")
        row = X.iloc[[100]].assign(island="Atlantis", sex=None)
        said = model.explain(row, counterfactual=False)[0].to_text()
        assert "island = Atlantis does not occur in the training set" in said, learner
        assert "sex" in said, learner


def test_a_file_keeps_what_is_needed(tmp_path: Path):
    model, X, _ = trained("naive-bayes", "penguins")
    model.save(tmp_path / "m.vaglio")
    again = vaglio.load(tmp_path / "m.vaglio").explain(X.head(8))
    assert [e.to_dict() for e in again] == [e.to_dict() for e in model.explain(X.head(8))]


def test_text_and_numbers_together():
    rng = np.random.default_rng(0)
    spam = rng.random(40) < 0.5
    text = ["cheap pills" if s else "see you" for s in spam]
    table = Table(
        [Column.text("text", text), Column.numeric("links", np.where(spam, 5.0, 0.0) + rng.integers(0, 2, 40))]
    )
    y = np.where(spam, "spam", "ham")
    model = NaiveBayesClassifier().fit(table, y)
    for row in (0, 1, 2, 3):
        said = model.explain(table[[row]])[0]
        assert said.counterfactual is not None
        assert {change.feature for change in said.counterfactual.changes} <= {"text", "links"}


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["c45", "naive-bayes", "logistic", "random-forest", "knn", "svm"])
def test_wide_tables_stay_cheap(learner, monkeypatch):
    """However wide the table, only so many copies of a row are made."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1500))
    y = (X[:, 3] > 0).astype(int)
    model = LEARNERS[learner].make().fit(X, y)
    made = []
    original = Variants.of

    def of(self, matrix):
        made.append(len(self))
        return original(self, matrix)

    monkeypatch.setattr(Variants, "of", of)
    assert len(model.explain(X[:2])) == 2
    assert sum(made) < 200_000


def test_members_of_other_libraries_are_asked_too():
    X, y = vaglio.datasets.load("iris").xy("species")
    X = X.to_frame().to_numpy()
    model = vaglio.BaggingClassifier(GaussianNB(), n_estimators=3, random_state=0).fit(X, y)
    said = model.explain(X[:1])[0]
    other = X[:1].copy()
    for change in said.counterfactual.changes:
        other[0, int(change.feature[1:])] = change.instead
    assert model.predict(other)[0] == said.counterfactual.decision != said.decision
