"""A file that claims to be a tree: every single fault is refused, with the sentence for that fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vaglio.encode import Feature
from vaglio.errors import ModelFileError
from vaglio.learners.trees.model.tree import Tree

FEATURES = (
    Feature("number", "numeric"),
    Feature("grade", "ordinal", ("low", "middle", "high")),
    Feature("word", "nominal", ("x", "y", "z")),
)
META = {"strict": False, "smoothing": "none", "m": 2.0, "regression": False}


def arrays() -> dict[str, np.ndarray]:
    """One node of every kind: a threshold, then a branch per word | a subset of words, then a line and a grade."""
    leaf = [-1] * 7
    return {
        "node_kind": np.array([1, 3, 2, 4, 1] + [0] * 7, np.uint8),
        "feature": np.array([0, 2, 2, -1, 1, *leaf], np.int32),
        "threshold": np.array([0.5, 0, 0, 1.5, 1.5] + [0] * 7, np.float64),
        "first_child": np.array([1, 3, 6, 8, 10, *leaf], np.int32),
        "n_children": np.array([2, 3, 2, 2, 2] + [0] * 7, np.int32),
        "missing_branch": np.array([-1, 2, 1, 0, -1, *leaf], np.int32),
        "table_start": np.array([-1, 0, 3, -1, -1, *leaf], np.int64),
        "tables": np.array([0, 1, 2, 0b010], np.uint32),
        "value": np.array(
            [[6, 5], [3, 2], [3, 3], [1, 1], [1, 1], [1, 0], [2, 1], [1, 2], [1, 0], [0, 1], [1, 0], [0, 1]], float
        ),
        "weight": np.array([11, 5, 6, 2, 2, 1, 3, 3, 1, 1, 1, 1], float),
        "impurity": np.zeros(12),
        "gain": np.zeros(12),
        "linear_start": np.array([0, 0, 0, 0] + [2] * 9, np.int64),
        "linear_feature": np.array([0, 1], np.int32),
        "linear_coef": np.array([1.0, -2.0]),
    }


def read(found: dict[str, np.ndarray], n_classes: int = 2, **meta: Any) -> Tree:
    return Tree.from_state(found, {**META, **meta}, FEATURES, n_classes)


def test_the_tree_itself_is_read() -> None:
    tree = read(arrays())
    assert tree.size() == {"nodes": 12, "leaves": 7, "depth": 3}
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4]
    assert tree.mean_shape() == {"mean_path": pytest.approx((7 * 2 + 4 * 3) / 11), "branching": 11 / 5}
    assert list(tree.children(1)) == [3, 4, 5]
    again, meta = tree.state()
    assert meta == META
    for name, value in arrays().items():
        assert again[name].dtype == value.dtype
        np.testing.assert_array_equal(again[name], value)


FAULTS = [
    ("weight", 3, -1.0, "a node has an impossible weight"),
    ("weight", 3, 1e151, "a node has an impossible weight"),
    ("value", (3, 0), -0.5, "impossible class weights"),
    ("value", (3, 0), 1e151, "impossible class weights"),
    ("value", 3, 0.0, "impossible class weights"),
    ("node_kind", 5, 5, "the kind of a node is out of range"),
    ("first_child", 5, 3, "a leaf has children"),
    ("n_children", 5, 1, "a leaf has children"),
    ("n_children", 0, 1, "the children of a node are impossible"),
    ("first_child", 1, 1, "the children of a node are impossible"),
    ("first_child", 2, 5, "do not form a tree"),
    ("first_child", 0, 2, "do not form a tree"),
    ("n_children", 4, 3, "do not form a tree"),
    ("missing_branch", 0, -2, "a branch for missing values does not exist"),
    ("missing_branch", 2, 2, "a branch for missing values does not exist"),
    ("missing_branch", 1, 3, "a branch for missing values does not exist"),
    ("feature", 0, -1, "the feature of a test is out of range"),
    ("feature", 0, 3, "the feature of a test is out of range"),
    ("feature", 7, -2, "the feature of a node is out of range"),
    ("feature", 7, 3, "the feature of a node is out of range"),
    ("threshold", 0, np.nan, "a threshold is not a number"),
    ("threshold", 3, np.nan, "a threshold is not a number"),
    ("feature", 0, 2, "a threshold is set on a column without order"),
    ("threshold", 4, -0.5, "outside of the categories"),
    ("threshold", 4, 3.0, "outside of the categories"),
    ("feature", 1, 1, "a test for categories is set on a column without them"),
    ("feature", 2, 0, "a test for categories is set on a column without them"),
    ("table_start", 1, -1, "a category table is out of range"),
    ("table_start", 1, 2, "a category table is out of range"),
    ("table_start", 2, 4, "a category table is out of range"),
    ("tables", 1, 3, "a category has no branch"),
    ("linear_start", 0, 1, "terms of linear tests are out of range"),
    ("linear_start", 5, 1, "terms of linear tests are out of range"),
    ("linear_start", 12, 3, "terms of linear tests are out of range"),
    ("linear_feature", 0, -1, "the feature of a linear test is out of range"),
    ("linear_feature", 0, 3, "the feature of a linear test is out of range"),
    ("linear_feature", 0, 2, "a linear test uses a column without numbers"),
    ("linear_coef", 0, np.inf, "not finite"),
    ("impurity", 0, np.nan, "not finite"),
    ("gain", 0, np.inf, "not finite"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), FAULTS)
def test_one_fault_is_refused(name: str, place: Any, value: float, message: str) -> None:
    found = arrays()
    found[name][place] = value
    with pytest.raises(ModelFileError, match=message):
        read(found)


# What lies just inside the limits is a tree.
ALLOWED = [
    ("missing_branch", 1, 0),
    ("missing_branch", 2, 0),
    ("threshold", 4, 0.0),
    ("threshold", 4, 2.9),
    ("threshold", 0, np.inf),
    ("tables", 1, 2),
    ("tables", 3, 0b111),
    ("table_start", 2, 0),
    ("feature", 7, 2),
    ("linear_feature", 1, 0),
    ("weight", 3, 0.0),
    ("threshold", 5, np.nan),
    ("value", (3, 0), 0.0),
]


@pytest.mark.parametrize(("name", "place", "value"), ALLOWED)
def test_one_change_is_no_fault(name: str, place: Any, value: float) -> None:
    found = arrays()
    found[name][place] = value
    assert read(found).n_nodes == 12


@pytest.mark.parametrize("name", sorted(arrays()))
def test_arrays_of_other_lengths_are_refused(name: str) -> None:
    for change in (lambda value: value[:-1], lambda value: np.concatenate([value, value[-1:]])):
        found = arrays()
        found[name] = change(found[name])
        if name == "tables" and len(found[name]) == 5:
            assert read(found).n_nodes == 12  # more than the tests need
            continue
        with pytest.raises(ModelFileError):
            read(found)


def test_a_third_branch_is_for_missing_values_alone() -> None:
    found = {
        "node_kind": [1, 0, 0, 0],
        "feature": [0, -1, -1, -1],
        "first_child": [1, -1, -1, -1],
        "n_children": [3, 0, 0, 0],
        "missing_branch": [2, -1, -1, -1],
        "value": [[2, 1], [1, 0], [0, 1], [1, 0]],
        "weight": [3, 1, 1, 1],
    }
    rest = {name: value[:4] for name, value in arrays().items()}
    rest |= {"tables": rest["tables"][:0], "linear_start": np.zeros(5, np.int64)}
    rest |= {"linear_feature": rest["linear_feature"][:0], "linear_coef": rest["linear_coef"][:0]}
    whole = {**rest, **{name: np.array(value, rest[name].dtype) for name, value in found.items()}}
    assert read(whole).n_leaves == 3
    with pytest.raises(ModelFileError, match="no two sides"):
        read({**whole, "missing_branch": np.array([1, -1, -1, -1], np.int32)})
    with pytest.raises(ModelFileError, match="terms without a linear test"):
        read({**whole, "linear_coef": np.ones(1)})
    with pytest.raises(ModelFileError, match="terms without a linear test"):
        read({**whole, "linear_feature": np.zeros(1, np.int32)})
    leaf = {name: value[1:2] for name, value in whole.items() if name != "tables"}
    alone = read({**leaf, "tables": whole["tables"], "linear_start": np.zeros(2, np.int64)})
    assert alone.size() == {"nodes": 1, "leaves": 1, "depth": 0}
    assert alone.mean_shape() == {"mean_path": 0.0, "branching": 0.0}
    with pytest.raises(ModelFileError, match="the tree has no nodes"):
        read({name: value[:0] for name, value in whole.items()})


@pytest.mark.parametrize(
    ("meta", "classes", "message"),
    [
        ({"m": -1.0}, 2, "smoothing of the leaves is impossible"),
        ({"m": float("inf")}, 2, "smoothing of the leaves is impossible"),
        ({"smoothing": "kernel"}, 2, "smoothing of the leaves is unknown"),
        ({"regression": True}, 2, "do not fit each other"),
        ({}, 0, "do not fit each other"),
        ({}, 3, "the array 'value' has the shape"),
    ],
)
def test_entries_that_do_not_fit(meta: dict[str, Any], classes: int, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(arrays(), classes, **meta)


def test_a_tree_of_numbers_may_have_negative_values() -> None:
    found = arrays()
    found["value"] = -found["value"][:, :1]
    assert read(found, 0, regression=True).value.min() == -6
    assert read(arrays(), m=0, smoothing="m-estimate").m == 0.0
