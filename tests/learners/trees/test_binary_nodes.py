"""A tree read by the names that scikit-learn has for its nodes."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import NotSupportedError


def test_children_by_threshold_as_scikit_learn_names_them(iris):
    X, y = iris
    tree = vaglio.DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    assert tree.node_count == tree.n_nodes
    assert tree.max_depth == tree.depth
    assert tree.weighted_n_node_samples[0] == len(y)
    reached = np.zeros(tree.node_count)
    for row in X:
        node = 0
        while tree.children_left[node] >= 0:
            left = row[tree.feature[node]] <= tree.threshold[node]
            node = (tree.children_left if left else tree.children_right)[node]
        reached[node] += 1
    leaves = tree.children_right < 0
    np.testing.assert_array_equal(reached[leaves], tree.weighted_n_node_samples[leaves])


@pytest.mark.parametrize(
    ("split", "told"), [("subset", "a set of categories"), ("multiway", "one branch per category")]
)
def test_nominal_nodes_have_no_children_by_threshold(split, told):
    X, y = vaglio.datasets.load("play").xy("play")
    tree = vaglio.DecisionTreeClassifier(nominal_split=split).fit(X, y).tree_
    with pytest.raises(NotSupportedError, match=f"Node 0 of this tree tests {told}"):
        _ = tree.children_left
