"""Permutation importance: a column that decides has a loss, a column of noise has none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import permutation_importance
from vaglio.table import Table


@pytest.fixture(scope="module")
def rows() -> tuple[Table, np.ndarray]:
    rng = np.random.default_rng(0)
    deciding = rng.normal(size=400)
    table = Table.from_any({"noise": rng.normal(size=400), "deciding": deciding, "constant": np.ones(400)})
    return table, np.where(deciding > 0, "a", "b")


def test_the_deciding_column_comes_first(rows):
    X, y = rows
    found = permutation_importance(vaglio.CARTClassifier(max_depth=1).fit(X, y), X, y)
    assert next(iter(found.losses)) == "deciding"
    assert found.accuracy == 1
    # The tree asks one question; a shuffled answer to it is right for half of the rows.
    assert found.losses["deciding"] == pytest.approx(0.5, abs=0.06)
    assert found.losses["noise"] == found.losses["constant"] == 0


def test_an_estimator_and_its_fitted_model_have_the_same_importance(rows):
    X, y = rows
    model = vaglio.KNeighborsClassifier().fit(X, y)
    assert permutation_importance(model, X, y) == permutation_importance(model.fitted_, X, y)


def test_models_that_predict_slowly_get_fewer_rows(rows):
    X, y = rows
    slow, fast = vaglio.KNeighborsClassifier(), vaglio.C45Classifier()
    assert permutation_importance(slow.fit(X, y), X, y).n_rows < permutation_importance(fast.fit(X, y), X, y).n_rows


def test_columns_can_be_chosen_and_limited(rows):
    X, y = rows
    model = vaglio.C45Classifier().fit(X, y)
    found = permutation_importance(model, X, y, columns=["constant", "noise"], max_columns=1)
    assert list(found.losses) == ["constant"]


def test_a_model_of_another_library_is_measured_too(rows):
    X, y = rows
    found = permutation_importance(GaussianNB().fit(X, y), X, y)
    assert found.losses["deciding"] > 0.3


def test_the_same_seed_gives_the_same_losses(rows):
    X, y = rows
    model = vaglio.LogisticRegression().fit(X, y)
    first, again, other = (permutation_importance(model, X, y, seed=seed).losses for seed in (1, 1, 2))
    assert first == again != other


def test_rows_and_labels_must_match(rows):
    X, y = rows
    model = vaglio.C45Classifier().fit(X, y)
    with pytest.raises(InputError, match="400 in the table, 399 in the target"):
        permutation_importance(model, X, y[1:])
    with pytest.raises(InputError, match="must be at least 1"):
        permutation_importance(model, X, y, n_repeats=0)
