"""Similarity, outliers and prototypes against all pairs counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification

from vaglio import AdaBoostClassifier, BaggingClassifier, KNeighborsClassifier, RandomForestClassifier
from vaglio.errors import InputError, NotSupportedError


@pytest.fixture(scope="module")
def data():
    return make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)


def by_hand(leaves, others, weights=None):
    weights = np.ones(leaves.shape[1]) if weights is None else weights
    return ((leaves[:, None] == others[None]) * weights).sum(axis=2) / weights.sum()


def test_share_of_common_leaves(data):
    X, y = data
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    np.testing.assert_allclose(forest.similarity(X).toarray(), by_hand(leaves, leaves))
    np.testing.assert_allclose(forest.similarity(X[:7], X[50:]).toarray(), by_hand(leaves[:7], leaves[50:]))
    assert forest.similarity(X).nnz < 120 * 120
    assert forest.similarity(X).has_sorted_indices
    assert forest.similarity(X).indices.dtype == np.int32


def test_only_the_most_similar(data):
    X, y = data
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    full = forest.similarity(X).toarray()
    top = forest.similarity(X, top=4)
    assert (np.diff(top.indptr) <= 4).all()
    for i in range(len(X)):
        met = np.flatnonzero(full[i])
        best = met[np.lexsort((met, -full[i, met]))][:4]
        np.testing.assert_array_equal(top.indices[top.indptr[i] : top.indptr[i + 1]], np.sort(best))


def test_for_bagged_and_boosted_trees(data):
    X, y = data
    bagged = BaggingClassifier(None, 7, random_state=0).fit(X, y)
    leaves = np.stack([member.apply(X) for member in bagged.estimators_], axis=1)
    np.testing.assert_allclose(bagged.similarity(X).toarray(), by_hand(leaves, leaves))
    boosted = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    leaves = np.stack([member.apply(X) for member in boosted.estimators_], axis=1)
    expected = by_hand(leaves, leaves, boosted.estimator_weights_)
    np.testing.assert_allclose(boosted.similarity(X).toarray(), expected)


def path_by_hand(trees, matrix):
    """Compare the decision paths of all pairs, tree by tree."""
    total = 0
    for tree in trees:
        visited = tree.decision_path(matrix).toarray().astype(int)
        length = visited.sum(axis=1) - 1
        shared = visited @ visited.T - 1
        longer = np.maximum(length[:, None], length[None])
        total = total + np.where(longer > 0, shared / np.maximum(longer, 1), 1)
    return total / len(trees)


def test_the_shared_part_of_the_path(data):
    X, y = data
    forest = RandomForestClassifier(8, random_state=0).fit(X, y)
    expected = path_by_hand([member.tree_ for member in forest.estimators_], forest._encode(X))
    np.testing.assert_allclose(forest.similarity(X, kind="path", top=120).toarray(), expected)
    nearest = forest.similarity(X, kind="path", top=3)
    assert (np.diff(nearest.indptr) == 3).all()
    np.testing.assert_allclose(nearest.max(axis=1).toarray().ravel(), 1)
    bagged = BaggingClassifier(None, 4, random_state=0).fit(X, y)
    expected = path_by_hand([member.tree_ for member in bagged.estimators_], bagged._encode(X))
    np.testing.assert_allclose(bagged.similarity(X, kind="path", top=120).toarray(), expected)


def test_the_path_is_never_dense_unasked(data):
    X, y = data
    with pytest.raises(InputError, match="top"):
        RandomForestClassifier(2, random_state=0).fit(X, y).similarity(X, kind="path")


def test_other_ensembles_have_none(data):
    X, y = data
    with pytest.raises(NotSupportedError, match="trees"):
        BaggingClassifier(KNeighborsClassifier(), 3).fit(X, y).similarity(X)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_outlier_scores_by_hand(data, n_jobs):
    X, y = data
    forest = RandomForestClassifier(20, random_state=0, n_jobs=n_jobs).fit(X, y)
    squares = forest.similarity(X).toarray() ** 2
    np.testing.assert_allclose(forest.outlier_scores(X), 1 / squares.sum(axis=1))
    same = y[:, None] == y[None]
    np.testing.assert_allclose(forest.outlier_scores(X, y), 1 / (squares * same).sum(axis=1))


def test_planted_outliers_are_in_the_top_percent():
    X, y = make_blobs(1000, 4, centers=3, cluster_std=1.0, random_state=0)
    planted = np.random.default_rng(0).choice(1000, 5, replace=False)
    y[planted] = (y[planted] + 1) % 3  # rows of another class in the midst of one
    forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    top = np.argsort(-forest.outlier_scores(X, y))[:10]
    assert set(planted) <= set(top)


def test_prototypes_lie_in_the_midst_of_their_class():
    X, y = make_blobs(300, 3, centers=3, cluster_std=3.0, random_state=0)
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    prototypes = forest.prototypes(X, y)
    assert list(prototypes) == [0, 1, 2]
    distance = np.array([np.linalg.norm(x - X[y == label].mean(axis=0)) for x, label in zip(X, y)])
    for label, row in prototypes.items():
        assert y[row] == label
        assert distance[row] < np.median(distance[y == label])
