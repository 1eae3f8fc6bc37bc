"""What a model tells of its training rows is what they were, whatever becomes of them before somebody asks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from vaglio.fitted.file import to_bytes

from .estimators import classifiers, mostly_slow, name_of, others_nightly, regressors

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("rows", [60, 1500])
@pytest.mark.parametrize("estimator", others_nightly(mostly_slow([*classifiers(), *regressors()])), ids=name_of)
def test_rows_that_change_after_training_are_described_as_they_were(estimator, rows):
    random = np.random.default_rng(0)
    X = random.integers(0, 9, (rows, 3)).astype(float)
    y = (X.sum(axis=1) > 12).astype(int) if is_classifier(estimator) else X.sum(axis=1) + random.normal(size=rows)
    asked = clone(estimator).fit(X.copy(), y.copy()).fitted_
    training, spreads = asked.provenance["training"], asked.codebook.spreads
    model = clone(estimator).fit(X, y)
    X[:], y[:] = 1.0, 1
    assert model.fitted_.provenance["training"] == training
    assert model.fitted_.codebook.spreads == spreads
    assert training["rows"] == rows


@pytest.mark.parametrize("estimator", others_nightly(mostly_slow([*classifiers(), *regressors()])), ids=name_of)
def test_a_model_sent_before_it_is_asked_is_the_same_file(estimator):
    random = np.random.default_rng(0)
    X = random.integers(0, 9, (60, 3)).astype(float)
    y = (X.sum(axis=1) > 12).astype(int) if is_classifier(estimator) else X.sum(axis=1) + random.normal(size=60)
    model = clone(estimator).fit(X, y)
    sent = pickle.loads(pickle.dumps(model.fitted_))
    assert to_bytes(sent) == to_bytes(model.fitted_)
