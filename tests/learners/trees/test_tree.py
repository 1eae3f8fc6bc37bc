"""A tree as a model: very deep ones, missing values, the names that scikit-learn has for its nodes.

Of a chain of two hundred thousand tests, nothing recurses and nothing blows up.
"""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix, Feature
from vaglio.errors import NotSupportedError
from vaglio.fitted import Fitted
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.trees.export import node_of_tree
from vaglio.learners.trees.model.tree import LEAF, THRESHOLD, Tree

DEPTH = 200_000


@pytest.fixture(scope="module")
def chain() -> Tree:
    """x <= 0.5, x <= 1.5, … one after the other; leaf i holds the rows with x = i, classes alternate."""
    inner = np.arange(DEPTH)
    n = 2 * DEPTH + 1
    node = np.concatenate([[0], 2 * inner[1:]])  # each inner node is the second child of the one before

    def array(fill: float, dtype: type, values: np.ndarray | float) -> np.ndarray:
        result = np.full(n, fill, dtype=dtype)
        result[node] = values
        return result

    weight = np.ones(n)
    weight[node] = DEPTH + 1 - inner
    value = np.zeros((n, 2))
    value[np.arange(1, n, 2), inner % 2] = 1.0
    value[n - 1, DEPTH % 2] = 1.0
    below = np.cumsum(value[np.append(np.arange(1, n, 2), n - 1)][::-1], axis=0)[::-1]
    value[node] = below[:-1]
    share = value / value.sum(axis=1, keepdims=True)
    return Tree(
        node_kind=array(0, np.uint8, 1),
        feature=array(-1, np.int32, 0),
        threshold=array(0, np.float64, inner + 0.5),
        first_child=array(-1, np.int32, 2 * inner + 1),
        n_children=array(0, np.int32, 2),
        missing_branch=np.full(n, -1, np.int32),
        table_start=np.full(n, -1, np.int64),
        tables=np.empty(0, np.uint32),
        value=value,
        weight=weight,
        impurity=1 - (share**2).sum(axis=1),
        gain=np.zeros(n),
        linear_start=np.empty(0, np.int64),
        linear_feature=np.empty(0, np.int32),
        linear_coef=np.empty(0),
    )


def test_it_predicts_and_reports_its_depth(chain: Tree) -> None:
    rows = EncodedMatrix.from_arrays(np.array([[0.0], [1.0], [DEPTH - 1.0], [DEPTH + 5.0]]))
    assert chain.depth == DEPTH
    np.testing.assert_array_equal(chain.predict_proba(rows).argmax(axis=1), [0, 1, 1, 0])
    assert chain.decision_path(rows).sum(axis=1).tolist() == [2, 3, DEPTH + 1, DEPTH + 1]
    spread = chain.predict_proba(EncodedMatrix.from_arrays(np.array([[np.nan]])))
    np.testing.assert_allclose(spread, [[0.5, 0.5]], atol=1e-4)


def test_it_is_pruned(chain: Tree) -> None:
    alphas, _, leaves = _core.cost_complexity_path(chain.to_kernel())
    assert leaves[0] == DEPTH + 1
    assert leaves[-1] == 1
    assert (np.diff(alphas) >= 0).all()


@pytest.mark.slow
def test_it_is_saved_and_read_back(chain: Tree) -> None:
    fitted = Fitted(Codebook((Feature("x"),)), chain, np.array(["a", "b"]), "tree")
    again = from_bytes(to_bytes(fitted)).model
    np.testing.assert_array_equal(again.threshold, chain.threshold)


@pytest.mark.parametrize("weights", [(3.0, 1.0), (0.0, 2.0), (0.0, 0.0)])
@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_a_branch_gets_the_share_of_a_missing_value_that_the_kernel_gives_it(
    weights: tuple[float, float], direction: int
) -> None:
    features = (Feature("x"),)
    tree = Tree(
        node_kind=np.array([THRESHOLD, LEAF, LEAF], np.uint8),
        feature=np.array([0, -1, -1], np.int32),
        threshold=np.array([0.5, 0.0, 0.0]),
        first_child=np.array([1, -1, -1], np.int32),
        n_children=np.array([2, 0, 0], np.int32),
        missing_branch=np.array([direction, -1, -1], np.int32),
        table_start=np.full(3, -1, np.int64),
        tables=np.empty(0, np.uint32),
        value=np.array([[2.0, 2.0], [3.0, 1.0], [1.0, 4.0]]),
        weight=np.array([sum(weights), *weights]),
        impurity=np.zeros(3),
        gain=np.zeros(3),
        linear_start=np.empty(0, np.int64),
        linear_feature=np.empty(0, np.int32),
        linear_coef=np.empty(0),
    )
    row = EncodedMatrix(features, np.array([[np.nan]]), np.empty((1, 0), np.int32))
    spread = tree.predict_proba(row)
    shares = [tree.missing_share(0, branch) for branch in range(2)]
    assert sum(shares) == 1
    assert tree.spreads_missing == (direction < 0)
    np.testing.assert_allclose(shares @ tree.says[1:], spread[0])
    np.testing.assert_allclose(tree.rules(features, np.array(["a", "b"])).predict_proba(row), spread)
    exported = node_of_tree(tree, features, 2).fields["share"]
    np.testing.assert_array_equal(exported[1:], shares if direction < 0 else 1.0)


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
