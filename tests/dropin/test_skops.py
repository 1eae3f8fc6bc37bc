"""Models in the format of skops, which MLflow uses too: what comes back is the model that was stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, load_iris
from tests.contracts.estimators import classifiers, name_of, others_nightly, regressors


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly([*classifiers(), *regressors()]), ids=name_of)
def test_a_model_in_the_format_of_skops_comes_back_as_it_was(estimator: Any) -> None:
    X, y = (load_diabetes if is_regressor(estimator) else load_iris)(return_X_y=True)
    X, y = X[40:110], y[40:110]
    estimator.fit(X, y)
    stored = skops.io.dumps(estimator)
    back = skops.io.loads(stored, trusted=skops.io.get_untrusted_types(data=stored))
    np.testing.assert_array_equal(back.predict(X), estimator.predict(X))
    assert back.fitted_.digest == estimator.fitted_.digest
