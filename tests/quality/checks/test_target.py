"""Classes of different size, and columns that give the class away."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import numbers, the

RNG = np.random.default_rng(0)


def test_unequal_rare_and_single_classes_are_reported():
    table = Table.from_any(numbers(300, y=np.array(["p"] * 280 + ["q"] * 16 + ["r"] * 4)))
    found = vaglio.audit(table, "y")
    assert the(found, "imbalance").details["counts"] == {"p": 280, "q": 16, "r": 4}
    assert "r" in the(found, "rare-classes").message
    alone = vaglio.audit(Table.from_any(numbers(30, y=["p"] * 30)), "y")
    assert the(alone, "one-class").severity == "high"


def test_columns_that_determine_the_class_are_reported():
    n = 400
    y = np.array(["p", "q"])[RNG.integers(0, 2, n)]
    after = np.where(y == "p", RNG.normal(size=n), np.nan)
    table = Table.from_any(numbers(n, code=np.where(y == "p", "K1", "K9"), after=after, y=y))
    found = vaglio.audit(table, "y").of_kind("leakage")
    assert {f.columns[0] for f in found} == {"code", "after"}
    assert any("Whether column 'after' is missing" in f.message for f in found)


def test_numbers_that_separate_the_classes_are_found_in_small_tables_and_chance_is_not():
    for n in (30, 45, 60):
        rng = np.random.default_rng(n)
        y = np.array(["p", "q"])[(np.arange(n) % 5 < 2).astype(int)]
        threshold = np.where(y == "p", 0.0, 10.0) + rng.uniform(0, 10, n)
        interval = np.where(y == "p", rng.choice([0, 6], n) + rng.uniform(0, 4, n), rng.uniform(4, 6, n))
        found = vaglio.audit(Table.from_any(numbers(n, threshold=threshold, interval=interval, y=y)), "y")
        assert {f.columns[0] for f in found.of_kind("leakage")} == {"threshold", "interval"}
    # Two rows of a class have the two largest of any numbers once in some hundred columns.
    y = np.array(["p"] * 28 + ["q"] * 2)
    assert not vaglio.audit(Table.from_any({"x": np.arange(30) ** 1.5, "y": y}), "y").of_kind("leakage")
