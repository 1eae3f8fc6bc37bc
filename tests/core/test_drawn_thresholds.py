"""Random thresholds: counting classes or adding up targets gives the tree of a scan over sorted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .tree_rows import COLUMNS, Rows, column, equal_trees, grow


@st.composite
def tables(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([2, 10, 60, 300, 2000]))
    y = random.integers(0, 2, n)
    columns: list[np.ndarray] = []
    for kind in draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=6)):
        columns.append(column(kind, columns, y, random))
    weight = {"none": None, "counts": random.integers(0, 4, n).astype(float)}
    return np.column_stack(columns), y, weight[draw(st.sampled_from(sorted(weight)))]


configs = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["gini", "gain", "gain_ratio"]),
        "min_rows_leaf": st.sampled_from([1.0, 1.0, 5.0]),
        "max_features": st.sampled_from([0, 1, 2]),
        "require_positive_gain": st.booleans(),
        "strict": st.booleans(),
        "seed": st.integers(0, 99),
    }
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tables(), configs)
def test_counts_and_orders_give_the_same_tree(table: Any, config: dict[str, Any]) -> None:
    X, y, weight = table
    config = config | {"random_thresholds": True}
    # A constraint that forbids nothing leaves only the scan over sorted rows.
    ordered = grow(Rows(X), y, 2, weight=weight, **config, monotonic=[0] * X.shape[1])
    equal_trees(grow(Rows(X), y, 2, weight=weight, **config), ordered)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(tables(), configs, st.booleans())
def test_sums_and_orders_give_the_same_tree(table: Any, config: dict[str, Any], real: bool) -> None:
    X, classes, weight = table
    # Whole numbers, so that sums are exact in any order; and weights that are no counts.
    y = np.round(10 * X[:, 0]) + classes
    if real and weight is not None:
        weight = weight / 4
    config = config | {"random_thresholds": True, "criterion": "squared_error"}
    ordered = grow(Rows(X), y, 0, weight=weight, **config, monotonic=[0] * X.shape[1])
    for threads in (1, 3):
        equal_trees(grow(Rows(X), y, 0, n_threads=threads, weight=weight, **config), ordered)
