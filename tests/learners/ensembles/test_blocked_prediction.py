"""Many rows at once, by ranks and in blocks, are predicted bit for bit as the trees say one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio import RandomForestClassifier, RandomForestRegressor

ROWS_OF_A_BLOCK = 8192


def _table(random, rows, columns, missing, steps):
    X = random.standard_normal((rows, columns))
    if steps:  # many equal values: rows that lie on a threshold
        X = np.round(X * steps) / steps
    X[random.random(X.shape) < missing] = np.nan
    return X


def _one_by_one(model, X):
    """Sum what the leaf of each tree says, in the order of the trees."""
    forest, matrix = model.fitted_.model, model._encode(X)
    leaves = ~forest.nodes["link"][forest.apply(matrix)]
    sums = np.zeros((len(X), forest.leaf_values.shape[1]))
    for tree in range(forest.n_trees):
        sums += forest.leaf_values[leaves[:, tree]]
    return sums / forest.n_trees


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**20),
    rows=st.sampled_from(
        [1, 2, 63, 64, 255, 257, 1000, ROWS_OF_A_BLOCK, ROWS_OF_A_BLOCK + 1, 2 * ROWS_OF_A_BLOCK + 77]
    ),
    columns=st.sampled_from([1, 4, 31, 32, 33, 64, 65, 128, 129]),
    classes=st.integers(2, 30),
    missing=st.sampled_from([0.0, 0.0, 0.1, 0.6]),
    steps=st.sampled_from([0, 3]),
    depth=st.sampled_from([None, None, 1, 6, 7, 10]),
    weighted=st.booleans(),
    jobs=st.sampled_from([1, 2, 3]),
)
@settings(max_examples=20, deadline=None)
def test_blocks_of_rows_are_predicted_as_single_rows(
    seed, rows, columns, classes, missing, steps, depth, weighted, jobs
):
    random = np.random.default_rng(seed)
    X = _table(random, 400, columns, missing, steps)
    y = random.integers(0, classes, 400)
    weight = random.random(400) + 0.1 if weighted else None
    model = RandomForestClassifier(4, max_depth=depth, max_features=min(columns, 3), random_state=seed, n_jobs=jobs)
    model.fit(X, y, sample_weight=weight)
    asked = _table(random, rows, columns, missing, steps)
    expected = _one_by_one(model, asked)
    model.predict_proba(_table(random, 3000, columns, missing, steps))  # enough rows for the ranks to be made
    assert model.predict_proba(asked).tobytes() == expected.tobytes()


def test_numbers_are_predicted_in_blocks_as_by_single_rows():
    random = np.random.default_rng(5)
    X = _table(random, 2000, 6, 0.05, 0)
    model = RandomForestRegressor(7, random_state=0, n_jobs=2).fit(X, random.standard_normal(2000))
    asked = _table(random, ROWS_OF_A_BLOCK + 300, 6, 0.05, 0)
    assert model.predict(asked).tobytes() == _one_by_one(model, asked)[:, 0].tobytes()
