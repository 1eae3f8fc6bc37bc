"""Shapley values of trees: against the definition, over all coalitions of columns."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from vaglio import C45Classifier, CARTClassifier, DecisionTreeRegressor, ObliqueTreeClassifier, datasets
from vaglio.learners.trees.model.tree import MULTIWAY

LEARNERS = {
    "multiway, missing values go all ways": C45Classifier(pruning=None, min_samples_leaf=1, high_cardinality=None),
    "subsets, missing values learned": CARTClassifier(max_depth=4, high_cardinality=None),
    "numbers": DecisionTreeRegressor(max_depth=4, high_cardinality=None),
}


def tables(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 40))
    frame = pd.DataFrame(
        {
            "a": random.integers(0, 4, n).astype(float),
            "b": random.choice(["x", "y", "z"], n),
            "c": random.normal(size=n).round(1),
            "d": random.choice(["u", "v"], n),
        }
    )
    y = random.integers(0, 3, n)
    return frame.mask(random.random(frame.shape) < random.choice([0.0, 0.2])), y


def branch_of(tree, node, features, matrix, row):
    """The branch that a row takes; None if it takes all."""
    feature = features[tree.feature[node]]
    column = [f.name for f in features if f.is_nominal == feature.is_nominal].index(feature.name)
    if not feature.is_nominal:
        x = matrix.numeric[row, column]
        found = None if np.isnan(x) else int(x > tree.threshold[node])
    else:
        code, start = int(matrix.codes[row, column]), int(tree.table_start[node])
        if code < 0:
            found = None
        elif tree.node_kind[node] == MULTIWAY:
            found = int(tree.tables[start + code])
        else:
            found = int(tree.tables[start + code // 32] >> np.uint32(code % 32) & 1)
    if found is None and tree.missing_branch[node] >= 0:
        return int(tree.missing_branch[node])
    return found


def expected(tree, says, known, branches, node=0):
    """The prediction when only these columns are known."""
    if tree.is_leaf[node]:
        return says[node]
    children = list(tree.children(node))
    if tree.feature[node] in known and branches[node] is not None:
        return expected(tree, says, known, branches, children[branches[node]])
    weight = tree.weight[children]
    parts = [expected(tree, says, known, branches, child) for child in children]
    return float(weight @ parts / weight.sum())


def shapley(tree, says, branches, n_features):
    found = []
    for j in range(n_features):
        others = [i for i in range(n_features) if i != j]
        total = 0.0
        for size in range(n_features):
            for some in map(set, combinations(others, size)):
                gain = expected(tree, says, some | {j}, branches) - expected(tree, says, some, branches)
                total += gain / (n_features * comb(n_features - 1, size))
        found.append(total)
    return [*found, expected(tree, says, set(), branches)]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("learner", LEARNERS)
def test_contributions_are_those_of_the_definition(learner, seed):
    X, y = tables(seed)
    fitted = clone(LEARNERS[learner]).fit(X, y).fitted_
    tree, features = fitted.model, fitted.codebook.features
    matrix = fitted.codebook.encode(X.head(3))
    says = tree.says
    direction = np.random.default_rng(seed).normal(size=(matrix.n_rows, says.shape[1]))
    found = tree.contributions(matrix, says, direction)
    for row in range(matrix.n_rows):
        branches = [
            None if tree.is_leaf[node] else branch_of(tree, node, features, matrix, row) for node in range(tree.n_nodes)
        ]
        np.testing.assert_allclose(
            found[row], shapley(tree, says @ direction[row], branches, len(features)), rtol=1e-9, atol=1e-12
        )
    predicted = tree.predict(matrix)[:, None] if tree.regression else tree.predict_proba(matrix)
    np.testing.assert_allclose(found.sum(axis=1), (predicted * direction).sum(axis=1), rtol=1e-9, atol=1e-12)


def test_a_test_of_several_columns_is_refused():
    X, y = datasets.load("iris").xy("species")
    fitted = ObliqueTreeClassifier(random_state=0).fit(X, y).fitted_
    with pytest.raises(ValueError, match="several features"):
        fitted.model.contributions(fitted.codebook.encode(X), fitted.model.says, np.ones((150, 3)))
