"""Predictions of a fitted model."""

from __future__ import annotations

import pytest

from vaglio import datasets
from vaglio.encode import Codebook
from vaglio.errors import NotSupportedError
from vaglio.learn.registry import find

LEARNERS = ["c45", "logistic", "perceptron", "svm", "knn", "naive-bayes", "ripper", "adaboost"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_class_and_probabilities_from_one_encoding(learner: str, monkeypatch: pytest.MonkeyPatch):
    X, y = datasets.load("iris").xy("species")
    fitted = find(learner).make().fit(X, y).fitted_
    expected = fitted.predict(X)
    try:
        expected_proba = fitted.predict_proba(X)
    except NotSupportedError:
        expected_proba = None
    encode, encoded = Codebook.encode, []

    def counting(self, rows):
        encoded.append(rows)
        return encode(self, rows)

    monkeypatch.setattr(Codebook, "encode", counting)
    labels, proba = fitted.predict_with_proba(X)
    assert len(encoded) == 1
    assert labels.tolist() == expected.tolist()
    assert proba is None if expected_proba is None else (proba == expected_proba).all()
