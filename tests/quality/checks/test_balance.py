"""Classes of different size."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import numbers, the


def test_unequal_rare_and_single_classes_are_reported():
    table = Table.from_any(numbers(300, y=np.array(["p"] * 280 + ["q"] * 16 + ["r"] * 4)))
    found = vaglio.audit(table, "y")
    assert the(found, "imbalance").details["counts"] == {"p": 280, "q": 16, "r": 4}
    assert "r" in the(found, "rare-classes").message
    alone = vaglio.audit(Table.from_any(numbers(30, y=["p"] * 30)), "y")
    assert the(alone, "one-class").severity == "high"
