"""Constant columns, identifiers, and the shape of a table."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

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
