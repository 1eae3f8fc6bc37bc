"""Sums per category: whole and exact weights are counted in words, with the trees that sums row by row give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .tree_rows import Rows, equal_trees, grow

# Weights as of rows drawn with replacement, as of boosting (multiples of a power of two), and of neither kind.
WEIGHTS = {
    "drawn": lambda random, n: random.integers(0, 4, n).astype(float),
    "grid": lambda random, n: random.integers(1, 5000, n) / 4096,
    "real": lambda random, n: random.uniform(0.1, 3, n),
}


def mixed(random, n, n_classes, missing):
    """Three numeric columns and four nominal ones, of two to a hundred values; classes follow some of them."""
    categories = [2, 7, 40, 100]
    numeric = np.column_stack([random.integers(0, 2, n), random.integers(0, 9, n), random.normal(size=n)])
    codes = np.column_stack([random.integers(0, k, n) ** 2 // k for k in categories])
    y = (codes[:, 1] + codes[:, 2] + (numeric[:, 1] > 4)) % n_classes
    y = np.where(random.random(n) < 0.2, random.integers(0, n_classes, n), y)
    codes[random.random(codes.shape) < missing] = -1
    return Rows(numeric, codes, categories), y


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([40, 300, 1500]),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from(sorted(WEIGHTS)),
    st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(["gini", "gain", "gain_ratio"]),
            "nominal_split": st.sampled_from(["subset", "multiway"]),
            "missing": st.sampled_from(["learned", "fractional", "own_branch"]),
            "guarded_from": st.sampled_from([0.0, 10.0, 1e9]),
            "reuse_nominal": st.booleans(),
            "max_depth": st.sampled_from([2, 1000]),
        }
    ),
)
def test_counted_categories_give_the_trees_of_summed_ones(seed, n, n_classes, missing, kind, config):
    random = np.random.default_rng(seed)
    rows, y = mixed(random, n, n_classes, missing)
    weight = WEIGHTS[kind](random, n)
    weight[0] = 2.5 if kind == "grid" else weight[0]  # so that rows weigh more than they count
    counted = grow(rows, y, n_classes, weight=weight, **config)
    # With numbers of draws beside the weights, rows are added up one by one.
    summed = grow(rows, y, n_classes, weight=weight, multiplicity=np.ones(n, dtype=np.uint32), **config)
    equal_trees(counted, summed)


@pytest.mark.parametrize("kind", ["drawn", "grid"])
def test_the_order_of_rows_does_not_show_in_exact_sums(kind):
    random = np.random.default_rng(7)
    rows, y = mixed(random, 9000, 2, 0.0)
    weight = WEIGHTS[kind](random, 9000)
    order = random.permutation(9000)
    turned = Rows(rows.numeric[order], rows.codes[order], rows.n_categories)
    config = {"criterion": "gini", "nominal_split": "subset", "missing": "learned", "max_depth": 3}
    equal_trees(grow(rows, y, 2, weight=weight, **config), grow(turned, y[order], 2, weight=weight[order], **config))
