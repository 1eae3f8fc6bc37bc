"""Classes and scores from one pass over the rows are those of ``predict`` and ``predict_proba``."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio.encode import Codebook
from vaglio.evaluation import CostSensitiveClassifier, predict_with_scores
from vaglio.learners.registry import LEARNERS

PENGUINS = vaglio.datasets.load("penguins").xy("species")
PLAY = vaglio.datasets.load("play").xy("play")


@pytest.fixture
def encodings(monkeypatch) -> list[int]:
    """The number of rows of every encoding that is done."""
    counted: list[int] = []
    encode = Codebook.encode

    def counting(self, X):
        matrix = encode(self, X)
        counted.append(matrix.n_rows)
        return matrix

    monkeypatch.setattr(Codebook, "encode", counting)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_the_same_as_asking_twice(learner, encodings):
    X, y = PLAY if learner in ("multinomial-nb", "joint-bayes") else PENGUINS
    X, y = X[::3], y[::3]
    model = LEARNERS[learner].make().fit(X, y)
    for asked in (model, model.fitted_):
        encodings.clear()
        found = predict_with_scores(asked, X)
        assert encodings == [len(X)]
        assert found.labels.tolist() == asked.predict(X).tolist()
        assert found.scores is not None
        if found.scores.probability:
            np.testing.assert_array_equal(found.scores.values, asked.predict_proba(X))


def test_a_calibrated_support_vector_machine_predicts_by_its_decision_values():
    X, y = PENGUINS
    model = vaglio.SVC(calibration="sigmoid").fit(X, y)
    found = predict_with_scores(model, X)
    assert found.scores is not None
    assert found.scores.probability
    assert found.labels.tolist() == model.predict(X).tolist()


def test_costs_decide_from_the_same_probabilities(encodings):
    X, y = PLAY
    cost = {("yes", "no"): 1, ("no", "yes"): 9}
    model = CostSensitiveClassifier(vaglio.NaiveBayesClassifier(), cost).fit(X, y)
    encodings.clear()
    found = predict_with_scores(model, X)
    assert encodings == [len(X)]
    assert found.labels.tolist() == model.predict(X).tolist()
    weighted = CostSensitiveClassifier(vaglio.C45Classifier(), cost, use="weights").fit(X, y)
    assert predict_with_scores(weighted, X).labels.tolist() == weighted.predict(X).tolist()


@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier()])
def test_models_of_other_libraries_are_asked_for_both(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "a", "b")
    found = predict_with_scores(model.fit(X, y), X)
    assert found.labels.tolist() == model.predict(X).tolist()
    assert found.scores is not None
    assert found.scores.values.shape == (60, 2)


def test_an_evaluation_encodes_every_row_once(encodings):
    X, y = PENGUINS
    model = vaglio.C45Classifier().fit(X, y)
    encodings.clear()
    vaglio.evaluate(model, X, y)
    assert encodings == [len(X)]


def test_a_selection_predicts_its_test_rows_once(encodings):
    X, y = PENGUINS
    vaglio.select(X, y, learners=["c45"], strategy="quick", progress=False)
    n_test = round(0.2 * len(y))
    # The trial on these rows chooses, the final model is evaluated on them: two models, one encoding each.
    assert encodings.count(n_test) == 2
