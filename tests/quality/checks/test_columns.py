"""Constant columns, identifiers, values too coarse or too fine, and the shape of a table."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table, read

from .findings import numbers, the

RNG = np.random.default_rng(0)


def test_constant_and_nearly_constant_columns():
    n = 400
    table = Table.from_any(numbers(n, c=np.full(n, 3.0), d=np.where(np.arange(n) == 7, "odd", "usual")))
    found = vaglio.audit(table)
    assert the(found, "constant").columns == ("c",)
    assert the(found, "near-constant").columns == ("d",)


def test_numbers_one_to_n_are_an_identifier_and_measurements_are_not():
    n = 200
    table = Table.from_any(numbers(n, row=RNG.permutation(n) + 1.0, weight=RNG.permutation(n) * 37.0))
    found = vaglio.audit(table).of_kind("identifier")
    assert [f.columns[0] for f in found] == ["row"]


def test_many_columns_many_zeros_and_coarse_numbers_are_reported():
    wide = Table.from_any(RNG.normal(size=(30, 40)))
    assert the(vaglio.audit(wide), "dimensionality").severity == "medium"
    mostly_zero = Table.from_any((RNG.random((200, 8)) < 0.1) * RNG.random((200, 8)))
    assert the(vaglio.audit(mostly_zero), "sparsity").severity == "low"
    codes = Table.from_any(numbers(300, stars=RNG.integers(1, 6, 300)))
    assert the(vaglio.audit(codes), "resolution").columns == ("stars",)


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
    assert "Round them" in finding.advice


def test_categories_and_times_that_hardly_repeat():
    n = 120
    days = [f"2024-01-{1 + i // 5:02}T{i % 24:02}:{i % 60:02}:00" for i in range(n)]
    table = read(
        {
            "town": [f"t{i % 40}" for i in range(n)],
            "zone": list("abc") * 40,
            "when": days,
            "x": RNG.normal(size=n),
        }
    )
    found = vaglio.audit(table)
    assert "40 different values in 120 rows" in _fine(found, "town")[0].message
    assert "points in time" in _fine(found, "when")[0].message
    assert not _fine(found, "zone")


def test_coarse_numbers_are_still_found():
    found = vaglio.audit({"grade": np.tile(np.arange(1.0, 6), 60), "x": RNG.normal(size=300)})
    assert [f.details["too"] for f in found.of_kind("resolution")] == ["coarse"]
