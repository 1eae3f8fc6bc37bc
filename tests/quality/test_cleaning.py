"""A policy applied to the findings of an audit."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.quality import (
    Policy,
)
from vaglio.table import Table

RNG = np.random.default_rng(0)


def test_cleaning_leaves_the_source_alone_and_keeps_a_log():
    n = 220
    town = np.array(["Rome"] * 100 + ["rome"] * 5 + ["Paris"] * 112 + ["A", "B", "C"])
    data = {
        "key": [f"k{i}" for i in range(n)],
        "town": town,
        "age": np.append(RNG.integers(20, 60, n - 4), [-5.0, 999.0, 999, 999]),
        "one": ["same"] * n,
        "y": np.append(np.tile(["p", "q"], n // 2 - 1), [None, "p"]),
    }
    table = Table.from_any(data)
    before = table.to_frame().copy()
    found = vaglio.audit(table, "y", rules={"age": (0, None)})
    cleaned, log = found.clean(placeholders="missing", rare="merge")
    assert before.equals(table.to_frame())
    assert "one" not in cleaned
    assert cleaned.column("key").role == "identifier"
    assert set(cleaned.column("town").categories) == {"Rome", "Paris", "(rare)"}
    assert cleaned.column("age").n_missing == 3  # one of the four was in the row without a class
    assert len(cleaned) == n - 1
    assert len(log) == 7
    assert "spelling merged" in "\n".join(log)
    assert "- " in repr(found.clean())


def test_duplicate_and_contradicting_rows_are_dropped_on_request():
    table = Table.from_any({"a": [1.0, 1, 1, 2, 2, 3], "y": ["p", "p", "q", "p", "q", "p"]})
    found = vaglio.audit(table, "y")
    assert len(found.clean().table) == 6
    assert len(found.clean(duplicates="drop").table) == 5
    assert len(found.clean(inconsistent="drop").table) == 1
    assert found.clean(inconsistent="majority").table["y"].tolist() == ["p", "p", "p"]
    with pytest.raises(InputError, match="duplicates is 'remove'"):
        found.clean(duplicates="remove")


def test_outliers_are_clipped_or_made_missing_on_request():
    values = np.append(np.arange(20.0), [100.0])
    found = vaglio.audit(Table.from_any({"v": values}))
    assert found.clean(Policy(outliers="missing")).table.column("v").n_missing == 1
    clipped = found.clean(outliers="clip").table["v"]
    assert clipped.max() == found.of_kind("outliers")[0].details["high"]
