from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from vaglio.evaluation import SplitRules, evaluate_by_folds


def test_as_scikit_learn_predicts_out_of_folds():
    X, y = load_iris(return_X_y=True)
    found = evaluate_by_folds(GaussianNB(), X, y, n_splits=5, rules=SplitRules(seed=3))
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    assert found.predicted.tolist() == cross_val_predict(GaussianNB(), X, y, cv=folds).tolist()
    assert np.allclose(found.scores, cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba"))


def test_decision_values_of_different_models_are_not_mixed():
    assert evaluate_by_folds(Perceptron(), *load_iris(return_X_y=True), n_splits=3).scores is None


def test_a_class_that_a_training_fold_lacks():
    X, y = np.arange(12.0)[:, None], np.array(["b"] * 11 + ["a"])
    found = evaluate_by_folds(GaussianNB(), X, y, n_splits=3, progress=False)
    assert found.labels == ("a", "b")
    assert found.scores is not None
    assert found.scores[11].tolist() == [0.0, 1.0]


def test_progress_is_reported_per_fold():
    said = []
    evaluate_by_folds(
        GaussianNB(), *load_iris(return_X_y=True), n_splits=3, progress=lambda *report: said.append(report)
    )
    assert [done for done, _, _ in said] == [0, 1, 2]
