"""A table compared with a reference."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import numbers

RNG = np.random.default_rng(0)


def test_drift_between_two_tables():
    before = Table.from_any(numbers(400, c=np.tile(["u", "v"], 200), d=np.tile(["k", "l"], 200), gone=np.arange(400.0)))
    after = Table.from_any(
        {
            "a": RNG.normal(size=400),
            "b": RNG.normal(9, 2, size=400),
            "c": ["u"] * 370 + ["w"] * 30,
            "d": np.tile(["k", "l"], 200),
        }
    )
    found = vaglio.audit(after, reference=before).of_kind("drift")
    about = {f.columns[0] for f in found}
    assert about == {"b", "c", "gone"}
    assert any("not in the reference" in f.message for f in found)
    assert not vaglio.audit(before, reference=before).of_kind("drift")
