"""A chain of two hundred thousand tests: nothing recurses, nothing blows up."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix, Feature
from vaglio.fitted import Fitted
from vaglio.fitted._file import from_bytes, to_bytes
from vaglio.learners.trees.model.tree import Tree

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


def test_it_is_saved_and_read_back(chain: Tree) -> None:
    fitted = Fitted(Codebook((Feature("x"),)), chain, np.array(["a", "b"]), "tree")
    again = from_bytes(to_bytes(fitted)).model
    np.testing.assert_array_equal(again.threshold, chain.threshold)
