"""Missing values, and values that stand for a missing one."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import numbers, the

RNG = np.random.default_rng(0)


def test_missing_values_are_counted_by_column_and_in_all():
    data = numbers(y=np.tile(["p", "q", None], 100))
    data["a"][:200] = np.nan
    data["b"][5] = np.nan
    found = vaglio.audit(Table.from_any(data), "y")
    missing = the(found, "missing")
    assert missing.details["total"] == 301
    assert missing.details["by_column"] == {"a": 200, "b": 1, "y": 100}
    assert missing.n_rows == 200 + 34 - (0 if data["y"][2] is None else 1)
    assert the(found, "missing-class").n_rows == 100
    assert the(found, "mostly-missing").columns == ("a",)


def test_nulls_stored_as_numbers_and_words():
    n = 300
    pressure = RNG.integers(50, 120, n).astype(float)
    pressure[:20] = 0
    income = RNG.integers(1000, 9000, n).astype(float)
    income[5:15] = 999999
    table = Table.from_any(
        {
            "pressure": pressure,
            "income": income,
            "children": RNG.poisson(1.5, n).astype(float),
            "job": np.array(["cook", "smith", "Unknown"])[np.arange(n) % 3],
        }
    )
    found = {f.columns[0]: f for f in vaglio.audit(table).of_kind("placeholder")}
    assert set(found) == {"pressure", "income", "job"}
    assert found["pressure"].details["values"] == [0]
    assert found["pressure"].n_rows == 20
    assert found["income"].details["values"] == [999999]
    assert found["job"].n_rows == 100
