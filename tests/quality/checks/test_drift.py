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


def test_equal_samples_do_not_drift_and_moved_shares_do():
    fired = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        few, many = [0.6, 0.2, 0.1, 0.07, 0.03], 1 / np.arange(1, 31)
        tables = [
            {"few": rng.choice(list("abcde"), 50, p=few), "many": rng.choice(30, 50, p=many / many.sum()).astype(str)}
            for _ in range(2)
        ]
        fired += len(vaglio.audit(tables[0], reference=tables[1]).of_kind("drift"))
    assert fired <= 1
    before, after = {"c": list("ab") * 100}, {"c": list("aaab") * 50}
    assert vaglio.audit(after, reference=before).of_kind("drift")


def test_new_values_are_drift_only_if_rare_ones_do_not_explain_them():
    rare = {"c": [f"v{i}" for i in range(40)] + ["w"] * 60}
    other = {"c": [f"v{i}" for i in range(20, 60)] + ["w"] * 60}
    found = vaglio.audit(other, reference=rare)
    assert [f.severity for f in found.of_kind("new-categories")] == ["low"]
    assert not found.of_kind("drift")
    common = {"c": list("ab") * 50}
    assert vaglio.audit({"c": list("abz") * 33}, reference=common).of_kind("drift")
