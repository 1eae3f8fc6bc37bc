"""Values that are too coarse, and values that are too fine."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import read

RNG = np.random.default_rng(0)


def _fine(found, column):
    return [f for f in found.of_kind("resolution") if f.details.get("too") == "fine" and column in f.columns]


def test_decimals_that_tell_nothing_about_the_class():
    y = RNG.choice(["p", "q"], 400)
    size = np.where(y == "p", 10.0, 20.0) + RNG.normal(0, 2, 400)
    needed = RNG.permutation(400) / 1e4
    table = {"size": size.round(8), "short": size.round(1), "needed": needed, "y": np.where(needed < 0.02, "p", "q")}
    assert not _fine(vaglio.audit(table, "y"), "needed")
    found = vaglio.audit({**table, "y": y}, "y")
    (finding,) = _fine(found, "size")
    written, enough = finding.details["decimals"]["size"]
    assert (written, enough <= 2) == (8, True)
    assert not _fine(found, "short")
    assert "round them" in finding.advice


def test_categories_and_times_that_hardly_repeat():
    n = 120
    days = [f"2024-01-{1 + i // 5:02}T{i % 24:02}:{i % 60:02}:00" for i in range(n)]
    table = read(
        {"town": [f"t{i % 40}" for i in range(n)], "zone": list("abc") * 40, "when": days, "x": RNG.normal(size=n)}
    )
    found = vaglio.audit(table)
    assert "40 different values in 120 rows" in _fine(found, "town")[0].message
    assert "points in time" in _fine(found, "when")[0].message
    assert not _fine(found, "zone")


def test_coarse_numbers_are_still_found():
    found = vaglio.audit({"grade": np.tile(np.arange(1.0, 6), 60), "x": RNG.normal(size=300)})
    assert [f.details["too"] for f in found.of_kind("resolution")] == ["coarse"]
