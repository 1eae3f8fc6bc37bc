"""Thresholds of weighed rows: found by bins in large tables where trees are shallow, else by kept orders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .tree_rows import Rows, equal_trees, grow

SHALLOW = {"criterion": "gini", "missing": "learned", "max_depth": 8}


@st.composite
def weighed(draw):
    """Rows of two to four classes, columns of few and of many values, weights as boosting gives them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_classes = draw(st.sampled_from([300, 8192, 9000])), draw(st.integers(2, 4))
    columns = [rng.integers(0, k, n) for k in (2, 9, 300)] + [rng.normal(size=n), np.full(n, 3.0)]
    numeric = np.column_stack(columns).astype(float)
    if draw(st.booleans()):
        numeric[rng.random(n) < 0.1, 1] = np.nan
    noise = rng.random(n) < draw(st.sampled_from([0.1, 0.6, 1.0]))
    y = np.where(noise, rng.integers(0, n_classes, n), (numeric[:, 3] > 0) + (numeric[:, 0] > 0))
    weight = np.exp(rng.normal(size=n) * draw(st.sampled_from([0.1, 2.0])))
    return Rows(numeric), np.minimum(y, n_classes - 1), n_classes, weight * n / weight.sum()


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=weighed(), leaves=st.integers(2, 9), threads=st.integers(1, 3))
def test_bins_and_orders_give_the_same_tree(data, leaves, threads):
    rows, y, n_classes, weight = data
    weight = np.maximum(np.rint(weight * 4096), 1) / 4096  # sums, and their squares, are exact
    # So few leaves are never deeper than eight tests, whether depth has a limit or not.
    ordered = grow(rows, y, n_classes, weight=weight, **(SHALLOW | {"max_leaf_nodes": leaves, "max_depth": 100}))
    equal_trees(ordered, grow(rows, y, n_classes, threads, weight=weight, **(SHALLOW | {"max_leaf_nodes": leaves})))


def best_gain(x, y, w, n_classes):
    """The decrease of the Gini index by the best threshold, from running sums."""
    order = np.argsort(x, kind="stable")
    left = np.cumsum(w[order, None] * (y[order, None] == np.arange(n_classes)), axis=0)
    cuts = left[:-1][np.diff(x[order]) > 0]
    if not len(cuts):
        return 0.0
    right, total = left[-1] - cuts, w.sum()
    purity = (cuts**2).sum(1) / cuts.sum(1) + (right**2).sum(1) / right.sum(1)
    return max(0.0, (purity.max() - (left[-1] ** 2).sum() / total) / total)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=weighed(), scale=st.sampled_from([1e-50, 1.0, 1e50]))
def test_no_threshold_is_better_whatever_rows_weigh(data, scale):
    rows, y, n_classes, weight = data
    numeric = np.nan_to_num(rows.numeric, nan=-1.0)
    tree = grow(Rows(numeric), y, n_classes, weight=weight * scale, **(SHALLOW | {"max_depth": 1}))
    best = max(best_gain(x, y, weight, n_classes) for x in numeric.T)
    assert tree.gain[0] == pytest.approx(best, rel=1e-9, abs=1e-11)
    left = numeric[:, tree.feature[0]] <= tree.threshold[0]
    for child, part in ((1, left), (2, ~left)) if len(tree.gain) == 3 else ():
        assert tree.weight[child] == pytest.approx(weight[part].sum() * scale, rel=1e-9)


def test_rows_that_weigh_almost_nothing_still_count():
    # Beside the others they are less than the last digit of a sum.
    x = np.arange(20000.0)
    weight = np.where(x < 10000, 1e-25, np.where(x < 17000, 1.0, 1.5))
    tree = grow(Rows(x[:, None]), x >= 15000, 2, weight=weight, **(SHALLOW | {"max_depth": 1}))
    assert tree.threshold[0] == 14999.5
    light = slice(0, 10000)
    tree = grow(Rows(x[light, None]), x[light] >= 50, 2, weight=(weight * (1 + x))[light], **SHALLOW)
    assert tree.threshold[0] == 49.5
