"""The sieve leaves out thresholds that cannot win: trees and forests have the bytes of a search through all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio import _core

from .tree_rows import COLUMNS, Rows, column, equal_trees, grow


@st.composite
def tables(draw: Any) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.one_of(st.integers(2, 60), st.sampled_from([127, 128, 129, 200, 700, 1500, 5000])))
    classes = draw(st.one_of(st.integers(2, 5), st.sampled_from([8, 12, 30, 70])))
    y = random.integers(0, classes, n)
    if draw(st.booleans()):
        y = np.where(random.random(n) < 0.9, y % 2, y)  # most classes are rare
    columns: list[np.ndarray] = []
    for kind in draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=6)):
        columns.append(column(kind, columns, y, random))
    X = np.column_stack(columns)
    if share := draw(st.sampled_from([0.0, 0.0, 0.02, 0.3, 0.9])):
        holes = random.random(X.shape) < share
        holes[:, random.random(X.shape[1]) < 0.3] = False
        X[holes] = np.nan
    weight = {"none": None, "counts": random.integers(0, 4, n), "heavy": random.integers(1, 500, n)}
    weight["real"] = random.random(n)
    chosen = weight[draw(st.sampled_from(["none", "none", "counts", "heavy", "real"]))]
    return X, y.astype(np.int64), classes, None if chosen is None else chosen.astype(float)


configs = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["gini", "gain", "gain_ratio", "error"]),
        "missing": st.sampled_from(["learned", "learned", "own_branch", "fractional"]),
        "min_rows_leaf": st.sampled_from([1.0, 1.0, 3.0, 40.0]),
        "max_features": st.sampled_from([0, 0, 1, 2, 3]),
        "require_positive_gain": st.booleans(),
        "max_leaf_nodes": st.sampled_from([0, 0, 0, 5]),
        "min_weight_fraction": st.sampled_from([0.0, 0.0, 0.02]),
        "seed": st.integers(0, 99),
    }
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tables(), configs, st.integers(1, 2))
def test_a_tree_is_that_of_a_full_search(table: Any, config: dict[str, Any], threads: int) -> None:
    X, y, classes, weight = table
    given = (Rows(X), y, classes, threads, weight)
    equal_trees(grow(*given, **config, sieve=True), grow(*given, **config, sieve=False))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables(), configs, st.integers(1, 2))
def test_a_forest_is_that_of_a_full_search(table: Any, config: dict[str, Any], threads: int) -> None:
    X, y, classes, _ = table
    options = {"n_trees": 3, "draws": len(y), "seed": 5, "n_threads": threads}
    config = {**config, "missing": "learned"}
    sieved, full = (
        _core.grow_forest(Rows(X).table(), y, classes, config=_core.TreeConfig(**config, sieve=sieve), **options)
        for sieve in (True, False)
    )
    equal_trees(sieved, full)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_many_rows(criterion: str, classes: int, missing: float) -> None:
    random = np.random.default_rng(classes)
    X = np.round(random.normal(size=(20_000, 6)), 3)
    y = np.digitize(X[:, 1] + X[:, 4] + random.normal(size=len(X)), np.linspace(-1.5, 1.5, classes - 1))
    X[random.random(X.shape) < missing] = np.nan
    sieved, full = (grow(Rows(X), y, classes, criterion=criterion, sieve=sieve) for sieve in (True, False))
    equal_trees(sieved, full)


@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_columns_that_are_constant_in_a_large_node(criterion: str) -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 5, 5000)
    X = np.column_stack([random.normal(size=5000), random.integers(0, 2, (5000, 3))])
    sieved, full = (grow(Rows(X), y, 5, criterion=criterion, max_features=1, sieve=sieve) for sieve in (True, False))
    equal_trees(sieved, full)
