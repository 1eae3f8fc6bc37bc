"""A sparse matrix is the same table as the dense one, for every estimator that says it takes one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.base import clone

import vaglio
from vaglio.errors import InputError

from .estimators import all_estimators, name_of
from .test_tables import output, target_for

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

TAKING = [e for e in all_estimators() if hasattr(e, "predict") and e.__sklearn_tags__().input_tags.sparse]
WRITING_OUT = [e for e in TAKING if e._writes_out_sparse]


def rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).poisson(0.7, (60, 4)).astype(float)
    return X, np.where(X[:, 0] + X[:, 1] > 1, "more", "less")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", WRITING_OUT, ids=name_of)
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_it_learns_and_predicts_the_same(estimator: Any, make: Any) -> None:
    X, labels = rows()
    y, weight = target_for(estimator, labels), np.arange(len(labels)) % 3
    for options in ({}, {"sample_weight": weight}):
        dense, sparse = (clone(estimator).fit(given, y, **options) for given in (X, make(X)))
        np.testing.assert_array_equal(output(sparse, X), output(dense, X))
        np.testing.assert_array_equal(output(dense, make(X)), output(dense, X))
    assert str(sparse.explain(make(X[:1]))[0]) == str(sparse.explain(X[:1])[0])


@pytest.mark.parametrize("estimator", WRITING_OUT, ids=name_of)
def test_a_huge_matrix_is_refused_in_a_sentence(estimator: Any) -> None:
    X = sp.csr_array((np.ones(40), (np.arange(40), np.arange(40) % 7)), shape=(40, 1 << 20))
    with pytest.raises(InputError, match=r"reads every cell of X.*40 x 1048576 has too many.*LogisticRegression"):
        clone(estimator).fit(X, target_for(estimator, np.where(np.arange(40) % 7 > 3, "more", "less")))


def test_families_that_take_sparse_rows() -> None:
    names = {type(estimator).__name__ for estimator in TAKING}
    assert names >= {"DecisionTreeClassifier", "RandomForestRegressor", "BaggingClassifier", "AdaBoostClassifier"}
    assert names >= {"KNeighborsClassifier", "MLPClassifier", "SVC", "LogisticRegression", "Perceptron"}
    assert not vaglio.RIPPERClassifier().__sklearn_tags__().input_tags.sparse
