"""Small tables in the shape the tree kernels take, shared by their tests."""

from __future__ import annotations

import numpy as np

from vaglio import _core

C45 = {
    "criterion": "gain_ratio",
    "nominal_split": "multiway",
    "missing": "fractional",
    "mdl_correction": True,
    "c45_numeric_minimum": True,
    "min_rows_leaf": 2.0,
}


# Kinds of columns for `column`.
COLUMNS = ("smooth", "grid", "binary", "copy", "mirror", "constant", "skewed", "telling")


class Rows:
    """Rows in the two blocks the kernels take, numeric features first."""

    def __init__(self, numeric=None, codes=None, n_categories=()):
        n = len(numeric) if numeric is not None else len(codes)
        self.numeric = np.ascontiguousarray(np.empty((n, 0)) if numeric is None else numeric, dtype=float)
        self.codes = np.asfortranarray(np.empty((n, 0)) if codes is None else codes, dtype=np.int32)
        p, q = self.numeric.shape[1], self.codes.shape[1]
        self.n_categories = np.array(n_categories, dtype=np.uint32)
        self.nominal = np.array([0] * p + [1] * q, dtype=np.uint8)
        self.column = np.array([*range(p), *range(q)], dtype=np.uint32)

    def table(self):
        ranks, firsts = _core.rank_columns(self.numeric)
        return _core.TreeTable(self.numeric, ranks, firsts, self.codes, self.n_categories, self.nominal, self.column)

    def predictor(self, tree):
        return _core.TreePredictor(tree, self.nominal, self.column, self.n_categories)

    def apply(self, tree):
        return self.predictor(tree).apply(self.numeric, self.codes)


def grow(rows, y, n_classes, n_threads=1, weight=None, multiplicity=None, **config):
    return _core.grow_tree(
        rows.table(),
        np.asarray(y, np.int64 if n_classes else float),
        n_classes,
        weight=weight,
        multiplicity=multiplicity,
        config=_core.TreeConfig(**config),
        n_threads=n_threads,
    )


def mixed_rows(rng, n=400, missing=0.1):
    """Four numeric and three nominal features, three noisy classes, values missing at random."""
    numeric = rng.integers(0, 20, (n, 4)).astype(float)
    codes = rng.integers(0, 5, (n, 3))
    y = (numeric[:, 0] > 9) + (codes[:, 1] == 2)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    numeric[rng.random((n, 4)) < missing] = np.nan
    codes[rng.random((n, 3)) < missing] = -1
    return Rows(numeric, codes, [5, 5, 5]), y


def arrays_of(record):
    """Return the fields of what a kernel returned, by their names."""
    names = (name for name in dir(record) if not name.startswith("_"))
    return {name: value for name in names if not callable(value := getattr(record, name))}


def equal_trees(a, b):
    other = arrays_of(b)
    for name, array in arrays_of(a).items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


def column(kind: str, before: list[np.ndarray], y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a column of some kind; copies and mirrors of columns before it tie with them."""
    n = len(y)
    if kind in ("copy", "mirror") and before:
        chosen = before[random.integers(len(before))]
        return chosen.copy() if kind == "copy" else -chosen
    if kind == "grid":
        return random.integers(0, random.integers(2, 400), n).astype(float)
    if kind == "binary":
        return random.integers(0, 2, n).astype(float)
    if kind == "constant":
        return np.zeros(n)
    if kind == "skewed":
        return np.round(random.pareto(1.0, n), 2)
    if kind == "telling":
        return y + random.normal(scale=random.choice([0.05, 1.0, 5.0]), size=n)
    return random.normal(size=n)
