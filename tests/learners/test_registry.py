"""What an id gives beyond the class: settings that serve a table better than those of a textbook."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import vaglio
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.learners.registry import LEARNERS


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_setting_is_a_parameter_that_differs_from_the_class(learner):
    entry = LEARNERS[learner]
    assert all(entry.cls().get_params()[name] != value for name, value in entry.settings.items())
    assert all(entry.make().get_params()[name] == value for name, value in entry.settings.items())


def test_an_id_has_the_settings_and_a_class_its_own():
    by_id, by_class = (resolve_learners([one])[0].estimator for one in ("adaboost", vaglio.AdaBoostClassifier()))
    assert (by_id.max_depth, by_class.max_depth) == (3, 1)
    assert LEARNERS["adaboost"].make(max_depth=2).max_depth == 2


def test_the_trace_of_an_id_shows_the_textbook():
    X, y = vaglio.datasets.load("play").xy("play")
    textbook = vaglio.AdaBoostClassifier.textbook(random_state=0)
    assert vaglio.trace("adaboost", X, y).to_text() == vaglio.trace(textbook, X, y).to_text()


def test_trees_of_depth_3_tell_many_classes_apart():
    X, y = vaglio.datasets.load("digits").xy("digit")
    rows, unseen = slice(0, None, 6), slice(1, None, 6)
    stump, deeper = (
        model.set_params(n_estimators=20, random_state=0).fit(X[rows], y[rows]).score(X[unseen], y[unseen])
        for model in (vaglio.AdaBoostClassifier(), LEARNERS["adaboost"].make())
    )
    assert deeper > stump + 0.1


def test_the_number_of_neighbours_fits_the_table():
    """On one table a single neighbour is best, on another the more the better."""
    random = np.random.default_rng(0)
    rows = random.uniform(0, 6, (240, 2))
    board, noise = np.floor(rows).sum(axis=1) % 2, (rows[:, 0] + 4 * random.normal(size=240) > 3).astype(int)
    few, many = (LEARNERS["knn"].make().fit(rows, y).n_neighbors_ for y in (board, noise))
    assert few <= 3
    assert many >= 9


def test_leaves_of_few_rows_are_not_sure_of_their_class():
    X, y = vaglio.datasets.load("penguins").xy("species")
    shares, smoothed = (
        cross_val_predict(model, X, y, cv=5, method="predict_proba")
        for model in (vaglio.C45Classifier(), LEARNERS["c45"].make())
    )
    assert shares.min() == 0 < smoothed.min()
    assert (shares.argmax(axis=1) == smoothed.argmax(axis=1)).mean() > 0.99
    assert log_loss(y, smoothed) < 0.7 * log_loss(y, shares)
