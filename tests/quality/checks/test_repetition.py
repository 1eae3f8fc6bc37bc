"""Duplicates are exact; repeated content, and equal rows of different classes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.quality.checks import repetition
from vaglio.quality.checks.repetition import fingerprint, repeated_groups, surplus
from vaglio.table import Column, Table

from .findings import the

ROW = st.tuples(st.sampled_from([0.0, -0.0, 1.5, float("nan")]), st.integers(-1, 2), st.sampled_from(["a", "b", None]))


def test_duplicates_and_rows_that_repeat_without_their_identifier():
    names = [f"animal {i}" for i in range(99)] + ["frog", "frog"]
    legs = np.arange(101) % 7
    table = Table.from_any(
        {"name": names, "legs": legs * 1.0, "tail": np.where(legs > 3, "yes", "no"), "y": legs % 2 == 0}
    )
    found = vaglio.audit(table, "y")
    identifier = the(found, "identifier")
    assert "nearly an identifier: 100 different values in 101 rows" in identifier.message
    assert the(found, "repeated-content").n_rows == 101 - 7
    assert the(found, "repeated-key").rows.tolist() == [99, 100]
    assert not found.of_kind("duplicates")
    twice = table[np.append(np.arange(101), [4, 4, 9])]
    again = the(vaglio.audit(twice, "y"), "duplicates")
    assert again.n_rows == 3
    assert again.rows.tolist() == [101, 102, 103]


def test_equal_rows_of_different_classes_are_counted():
    table = Table.from_any(
        {"u": ["x", "x", "y", "y", "z"] * 10, "v": np.repeat(np.arange(10.0), 5), "y": ["p", "q", "p", "p", "q"] * 10}
    )
    found = the(vaglio.audit(table, "y"), "inconsistent")
    assert (found.n_rows, found.details["groups"]) == (20, 10)
    assert found.rows.tolist()[:4] == [0, 1, 5, 6]


def columns_of(rows):
    return [
        Column.numeric("n", [row[0] for row in rows]),
        Column.nominal("c", [row[1] for row in rows], ("x", "y", "z")),
        Column.text("t", [row[2] for row in rows]),
    ]


@given(st.lists(ROW, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_against_plain_python(rows):
    columns = columns_of(rows)
    got = surplus(*repeated_groups(fingerprint(columns, len(rows)), columns))
    seen, expected = set(), []
    for i, (number, code, text) in enumerate(rows):
        key = ("nan" if number != number else number + 0.0, code, text)
        if key in seen:
            expected.append(i)
        seen.add(key)
    assert got.tolist() == expected


def test_colliding_fingerprints_are_told_apart():
    columns = columns_of([(1.5, 0, "a"), (0.0, 0, "a"), (1.5, 0, "a"), (0.0, 1, "b")])
    rows, group = repeated_groups(np.zeros(4, dtype=np.uint64), columns)
    assert rows.tolist() == [0, 2]
    assert group[0] == group[1]


def test_chunks_do_not_show(monkeypatch):
    columns = [Column.numeric("n", np.arange(100) % 7)]
    whole = fingerprint(columns, 100)
    monkeypatch.setattr(repetition, "_CHUNK", 8)
    np.testing.assert_array_equal(whole, fingerprint(columns, 100))
