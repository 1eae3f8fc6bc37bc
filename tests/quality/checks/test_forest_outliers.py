"""Rows unlike the others of their class."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import the


def test_rows_unlike_their_class_are_found_by_a_forest():
    rng = np.random.default_rng(4)
    y = np.repeat(["p", "q"], 150)
    centre = np.where(y == "p", 0.0, 6.0)
    table = Table.from_any({"a": centre + rng.normal(size=300), "b": centre + rng.normal(size=300), "y": y})
    wrong = y.copy()
    wrong[[10, 200]] = ["q", "p"]
    mislabelled = Table.from_any({"a": table["a"], "b": table["b"], "y": wrong})
    found = the(vaglio.audit(mislabelled, "y"), "forest-outliers")
    assert set(found.rows[:2].tolist()) == {10, 200}
    assert found.details["sample"] == 300
