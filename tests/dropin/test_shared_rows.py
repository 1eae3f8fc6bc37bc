"""Members of an ensemble get the same arrays: checked, converted and sorted once, and forgotten after the fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import ensemble as theirs
from sklearn.tree import DecisionTreeClassifier as SKTree

from vaglio.sklearn import ensemble, tree
from vaglio.sklearn._checks import SHARED_ROWS


def rows(kind):
    """Return rows and classes in the types that members see."""
    random = np.random.default_rng(0)
    X = random.normal(size=(9000, 4)).astype(np.float32).astype(np.float64)  # no two splits are equally good
    y = (X[:, 0] + X[:, 1] ** 2 + random.normal(size=9000) > 0.5).astype(int) + (X[:, 2] > 1)
    if kind == "words":
        return X, np.array(["a", "b", "c"], dtype=object)[y]
    return (X.astype(np.float32), y) if kind == "single" else (X, y)


def forgotten(X, y):
    return SHARED_ROWS.users == 0 and SHARED_ROWS.get(X) is None and not SHARED_ROWS.knows_targets(y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["numbers", "words", "single"])
@pytest.mark.parametrize("depth", [1, 3])
def test_boosting_is_scikit_learns(kind, depth):
    X, y = rows(kind)
    ours = ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=depth), n_estimators=8, random_state=0)
    peer = theirs.AdaBoostClassifier(SKTree(max_depth=depth), n_estimators=8, random_state=0)
    ours.fit(X, y)
    assert forgotten(X, y)
    peer.fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, peer.estimator_weights_)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


def test_other_rows_are_looked_at_again():
    X, y = rows("numbers")
    changed = X[::-1].copy()

    class Spoiled(tree.DecisionTreeClassifier):
        def predict(self, rows, check_input=True):
            assert SHARED_ROWS.get(rows) is not None
            assert SHARED_ROWS.get(changed) is None
            np.testing.assert_array_equal(super().predict(changed), super().predict(rows)[::-1])
            return super().predict(rows)

    ensemble.AdaBoostClassifier(Spoiled(max_depth=1), n_estimators=3).fit(X, y)


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_rows_are_forgotten_after_an_error(bad):
    X, y = rows("numbers")
    X[3, 1] = bad
    with pytest.raises(ValueError, match="X contains"):
        ensemble.AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert forgotten(X, y)
