"""How the numbers lie in memory changes nothing: views with gaps, columns first, for every classifier and regressor."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from .estimators import classifiers, mostly_slow, name_of, others_nightly, regressors
from .test_tables import output

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", others_nightly(mostly_slow([*classifiers(), *regressors()])), ids=name_of)
def test_views_with_gaps_are_learned_as_their_copies(estimator, weighted):
    random = np.random.default_rng(0)
    X = random.integers(0, 5, (800, 8)).astype(float)[::2, ::2]
    y = (random.integers(0, 2, 800) if is_classifier(estimator) else random.normal(size=800))[::2]
    weight = random.integers(1, 4, 800).astype(float)[::2]
    takes_weights = "sample_weight" in inspect.signature(estimator.fit).parameters
    given = {"sample_weight": weight} if weighted and takes_weights else {}
    views = clone(estimator).fit(X, y, **given)
    copies = clone(estimator).fit(X.copy(), y.copy(), **{name: array.copy() for name, array in given.items()})
    for rows in (X, np.asfortranarray(X)):
        np.testing.assert_allclose(output(views, rows), output(copies, X.copy()), rtol=1e-9, atol=1e-12)
