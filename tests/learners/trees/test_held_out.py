"""Pruning by rows that are left out by the hash of their number, against trees that are fitted one by one."""

import numpy as np
import pytest
from sklearn.base import clone

from vaglio import DecisionTreeClassifier, DecisionTreeRegressor
from vaglio.learners.trees.passes.held_out import HashFold
from vaglio.runtime.seeds import row_hash


@pytest.fixture(scope="module")
def rows():
    """Few values, so that every part has all of them, and all trees have the same bins."""
    random = np.random.default_rng(4)
    X = random.integers(0, 6, (1500, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] > 5) ^ (random.random(1500) < 0.2)
    return X, y.astype(int), X[:, 0] * X[:, 2] + random.normal(0, 3, 1500)


def test_parts_are_those_of_the_hash_and_cover_every_row_once():
    index = np.arange(5000)
    folds = [HashFold.fold(7, at, 10).of(index) for at in range(10)]
    assert np.array_equal(np.sort(np.concatenate(folds)), index)
    assert all(400 < len(fold) < 600 for fold in folds)
    assert np.array_equal(HashFold.share(7, 0.25).of(index), np.flatnonzero(row_hash(index, 7) < np.uint64(2**62)))
    assert HashFold.share(7, 0.25).count(5000) == len(HashFold.share(7, 0.25).of(index))


@pytest.mark.slow
@pytest.mark.parametrize("risk", ["impurity", "error"])
def test_folds_give_the_errors_of_trees_fitted_one_by_one(rows, risk):
    X, y, _ = rows
    ours = DecisionTreeClassifier(max_bins=16, ccp_alpha="cv", ccp_risk=risk, random_state=5).fit(X, y)
    path, index = ours.ccp_path_, np.arange(len(y))
    for at in np.unique(np.linspace(0, len(path.tried) - 1, 6).astype(int)):
        wrong = 0
        # The smallest tree at no price at all is not the whole one: what removes no error is cut.
        tree = clone(ours).set_params(ccp_alpha=max(float(path.tried[at]), 1e-12))
        for fold in range(10):
            held = HashFold.fold(5, fold, 10).of(index)
            seen = np.setdiff1d(index, held)
            wrong += np.sum(clone(tree).fit(X[seen], y[seen]).predict(X[held]) != y[held])
        assert path.errors[at] == pytest.approx(wrong / len(y), abs=1e-12)
        share = wrong / len(y)
        assert path.standard_errors[at] == pytest.approx(np.sqrt(share * (1 - share) / len(y)), abs=1e-12)
    alone = clone(ours).set_params(ccp_alpha=ours.ccp_alpha_).fit(X, y)
    assert alone.tree_.n_nodes == ours.tree_.n_nodes
    assert np.array_equal(alone.tree_.value, ours.tree_.value)


@pytest.mark.slow
def test_folds_of_numbers(rows):
    X, _, y = rows
    ours = DecisionTreeRegressor(max_bins=16, ccp_alpha="cv", random_state=5).fit(X, y)
    path, index = ours.ccp_path_, np.arange(len(y))
    for at in (0, len(path.tried) // 2, len(path.tried) - 1):
        losses = np.empty(len(y))
        for fold in range(10):
            held = HashFold.fold(5, fold, 10).of(index)
            seen = np.setdiff1d(index, held)
            tree = clone(ours).set_params(ccp_alpha=float(path.tried[at])).fit(X[seen], y[seen])
            losses[held] = (tree.predict(X[held]) - y[held]) ** 2
        assert path.errors[at] == pytest.approx(losses.mean(), rel=1e-9)
        assert path.standard_errors[at] == pytest.approx(losses.std() / np.sqrt(len(y)), rel=1e-6)


def reduced_by_hand(tree, X, y, node=0):
    """Return errors and leaves of the best subtree below a node, a leaf where it errs no more."""
    wrong = int(np.sum(y != np.argmax(tree.value[node])))
    if tree.n_children[node] == 0:
        return wrong, 1
    left = X[:, tree.feature[node]] <= tree.threshold[node]
    first = tree.first_child[node]
    sides = [reduced_by_hand(tree, X[at], y[at], first + b) for b, at in enumerate((left, ~left))]
    below = sum(errors for errors, _ in sides)
    return (wrong, 1) if wrong <= below else (below, sum(leaves for _, leaves in sides))


def test_reduced_errors_give_the_tree_that_is_pruned_by_hand(rows):
    X, y, _ = rows
    ours = DecisionTreeClassifier(max_bins=16, pruning="reduced_error", validation_fraction=0.3, random_state=5)
    held = HashFold.share(5, 0.3).of(np.arange(len(y)))
    seen = np.setdiff1d(np.arange(len(y)), held)
    whole = clone(ours).set_params(pruning=None).fit(X[seen], y[seen]).tree_
    wrong, leaves = reduced_by_hand(whole, X[held], y[held])
    ours.fit(X, y)
    assert ours.get_n_leaves() == leaves < whole.n_leaves
    assert np.sum(ours.predict(X[held]) != y[held]) == wrong


@pytest.mark.parametrize("options", [{"ccp_alpha": "cv"}, {"pruning": "reduced_error"}])
def test_very_few_rows(options):
    for n in (1, 2, 3, 5, 20):
        tree = DecisionTreeClassifier(max_bins=4, random_state=0, **options)
        tree.fit(np.arange(n)[:, None].astype(float), np.arange(n) % 2)
        assert tree.tree_.n_nodes >= 1
        assert tree.tree_.weight[0] > 0
