"""Numbers as targets: trees and forests have the bytes of a search through all thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio import _core

from .tree_rows import COLUMNS, Rows, column, equal_trees, grow

SQUARES = {"criterion": "squared_error", "require_positive_gain": False}


def targets(kind: str, n: int, random: np.random.Generator) -> np.ndarray:
    """Return numbers of some kind: of many ties, of exact and of inexact sums, far from zero and of any magnitude."""
    if kind == "whole":
        return random.integers(-5, 6, n).astype(float)
    if kind == "two":
        return random.integers(0, 2, n).astype(float)
    if kind == "heavy tails":
        return random.standard_cauchy(n)
    scale, offset = {"real": (1.0, 0.0), "far": (1.0, 1e6), "tiny": (1e-7, 0.0), "huge": (1e9, -3e9)}[kind]
    return random.normal(size=n) * scale + offset


@st.composite
def tables(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([50, 512, 513, 700, 1500, 5000, 9000]))
    y = targets(draw(st.sampled_from(["whole", "two", "heavy tails", "real", "far", "tiny", "huge"])), n, random)
    classes = (y > np.median(y)).astype(float)
    columns: list[np.ndarray] = []
    for kind in draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=6)):
        columns.append(column(kind, columns, classes, random))
    X = np.column_stack(columns)
    if share := draw(st.sampled_from([0.0, 0.0, 0.02, 0.3, 0.99])):
        holes = random.random(X.shape) < share
        holes[:, random.random(X.shape[1]) < 0.3] = False
        X[holes] = np.nan
    weight = {"none": None, "counts": random.integers(0, 4, n), "heavy": random.integers(1, 500, n)}
    weight |= {"multiples": random.integers(1, 9, n) * 0.3, "real": random.random(n)}
    chosen = weight[draw(st.sampled_from(["none", "none", *weight]))]
    return X, y, None if chosen is None else chosen.astype(float)


configs = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["learned", "learned", "learned", "own_branch", "fractional"]),
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
    X, y, weight = table
    given = (Rows(X), y, 0, threads, weight)
    config = SQUARES | config
    equal_trees(grow(*given, **config, sieve=True), grow(*given, **config, sieve=False))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables(), configs, st.integers(1, 2))
def test_a_forest_is_that_of_a_full_search(table: Any, config: dict[str, Any], threads: int) -> None:
    X, y, _ = table
    options = {"n_trees": 3, "draws": len(y), "seed": 5, "n_threads": threads}
    config = SQUARES | config | {"missing": "learned"}
    sieved, full = (
        _core.grow_forest(Rows(X).table(), y, 0, config=_core.TreeConfig(**config, sieve=sieve), **options)
        for sieve in (True, False)
    )
    equal_trees(sieved, full)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("max_features", [0, 2])
def test_many_rows(max_features: int, missing: float) -> None:
    random = np.random.default_rng(max_features)
    X = np.round(random.normal(size=(30_000, 6)), 3)
    y = X[:, 1] + np.abs(X[:, 4]) + random.normal(size=len(X))
    X[random.random(X.shape) < missing] = np.nan
    sieved, full = (grow(Rows(X), y, 0, **SQUARES, max_features=max_features, sieve=sieve) for sieve in (True, False))
    equal_trees(sieved, full)


def test_categories_among_the_columns() -> None:
    random = np.random.default_rng(0)
    X, codes = random.normal(size=(4000, 3)), random.integers(-1, 6, (4000, 2))
    y = X[:, 0] + (codes[:, 1] == 3) + random.normal(size=len(X))
    sieved, full = (grow(Rows(X, codes, [6, 6]), y, 0, **SQUARES, sieve=sieve) for sieve in (True, False))
    equal_trees(sieved, full)
