"""A model does not depend on the threads of NumPy's matrix products: BLAS adds in another order on another number."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import vaglio
from vaglio.fitted.file import to_bytes

ROWS, COLUMNS = 40_000, 24

LEARNERS = {
    "gaussian-map": vaglio.GaussianMAPClassifier(),
    "gaussian-map, tied": vaglio.GaussianMAPClassifier("tied"),
    "gaussian-map, shrunk": vaglio.GaussianMAPClassifier("shrunk"),
    "logistic": vaglio.LogisticRegression(),
    "mlp": vaglio.MLPClassifier((16,), max_iter=1, batch_size=5000),
    "mlp, all rows": vaglio.MLPClassifier((16,), max_iter=2, solver="lbfgs"),
    "voting": vaglio.VotingClassifier(
        [("map", vaglio.GaussianMAPClassifier()), ("tree", vaglio.CARTClassifier(max_depth=2))]
    ),
}


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, ROWS)
    return random.normal(size=(ROWS, COLUMNS)) + 0.2 * y[:, None], y, random.random(ROWS) + 0.1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_one_file_on_any_number_of_threads(name, rows):
    X, y, weight = rows
    found = set()
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            found.add(to_bytes(LEARNERS[name].fit(X, y, sample_weight=weight).fitted_))
    assert len(found) == 1


def test_a_network_taught_in_chunks_gives_one_file(rows):
    X, y, _ = rows
    found = set()
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = vaglio.MLPClassifier((16,), batch_size=5000)
            found.add(to_bytes(model.partial_fit(X, y, classes=[0, 1]).fitted_))
    assert len(found) == 1
