"""Large plain files are read by a kernel of our own: it gives the tables and the errors that pyarrow's way gives."""

from __future__ import annotations

import io
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from benchmarks.tasks import csv_ways
from hypothesis import given
from hypothesis import strategies as st

import vaglio
from vaglio import _core
from vaglio.errors import VaglioError
from vaglio.table import Table
from vaglio.table.readers import plain_csv

# What programs, people and enemies write into a field of a column of each type.
NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.integers(-(2**64), 2**64).map(str),
    st.from_regex(r"-?[0-9]{1,18}", fullmatch=True),
    st.sampled_from(["-0", "0", "00", "007", "-07", "+1", "0x1A", "9007199254740991", "9007199254740992", "1_0", "١"]),
)
DECIMALS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.floats(-1e15, 1e15).map(repr),
    st.floats(-1000, 1000).map(lambda value: f"{value:.3f}"),
    st.floats(-1, 1).map(lambda value: f"{value:.25f}"),
    st.from_regex(r"-?[0-9]{0,20}\.?[0-9]{0,20}([eE][-+]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"[-+]?[0-9]{0,9}\.?[0-9]{0,9}", fullmatch=True),
    st.text("0123456789.-+eE/:", max_size=18),
    st.sampled_from(["-0.0", "1.", ".5", "-.5", ".", "-", "1e5", "1e999", "1e-999", "1.5.2", "1,5", "5e", "4.9e-324"]),
)
DATES = st.one_of(
    st.dates().map(str),
    st.from_regex(r"[0-9]{4}[-/0][0-9]{2}[-/0][0-9]{2}", fullmatch=True),
    st.text("0123456789-/", min_size=10, max_size=10),
    st.sampled_from(["2020-02-29", "2021-02-29", "1900-02-29", "0000-01-01", "2020-1-01", "2020-01-01 10:00"]),
)
WORDS = st.one_of(
    st.sampled_from(["red", "green", "a longer word", "é", "日本", "x\0y", "a b ", " a", "12:30", "yes", "no"]),
    st.text(st.characters(codec="utf-8", exclude_characters='\n\r,"'), max_size=12),
)
ABSENT = st.sampled_from(["", "NA", " NA", "NA ", " ", "?", "null", "n/a", "-"])
TYPES = st.sampled_from([NUMBERS, DECIMALS, DATES, WORDS])


def both_ways(
    data: bytes, sample: int = 1 << 18, different: float = 1, **options: object
) -> tuple[object, object, list[int]]:
    """Return what is read with the kernel and without it, and the places of the columns that the kernel has read."""
    taken: list[int] = []

    def reading(*arguments: object) -> object:
        found = _core.read_plain(*arguments)
        taken.extend(at for at, column in enumerate(found or []) if column is not None)
        return found

    kernel = mock.Mock(wraps=_core, read_plain=reading)
    with mock.patch.multiple(plain_csv, _LARGE=0, _SAMPLE=sample, _MOSTLY_DIFFERENT=different, _core=kernel):
        ours = outcome(data, **options)
    with mock.patch.object(plain_csv, "_LARGE", 1 << 60):
        return ours, outcome(data, **options), taken


def outcome(data: bytes, **options: object) -> object:
    """Return all that a table holds, or the error."""
    try:
        table: Table = vaglio.read(io.BytesIO(data), **options)
    except VaglioError as error:
        return type(error), str(error)
    columns = [table.column(name) for name in table.columns]
    return table.remarks, [
        (
            *(column.name, column.kind, column.level, column.role, column.categories, column.declared, column.unit),
            *(column.asymmetric, column.is_date, str(column.storage), column.n_missing),
            column.data.tolist() if column.kind == "text" else column.data.tobytes(),
            None if column.unread is None else column.unread.values.tolist(),
        )
        for column in columns
    ]


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Delimited text: columns of a type each, with unseen_values in some files."""
    kinds = draw(st.lists(TYPES, min_size=1, max_size=4))
    strange = draw(st.sampled_from([0, 0, 0, 1, 3]))
    rows = draw(st.lists(st.tuples(*(kind | ABSENT for kind in kinds)), min_size=1, max_size=30))
    delimiter = draw(st.sampled_from([",", ",", ";", "\t", "|"]))
    lines = [delimiter.join(row) for row in rows]
    for _ in range(strange):
        line = draw(st.sampled_from(["", "x", "1,2,3,4,5", '"a,b"', '"a\nb",c', " ", "a\rb", ",,", *lines]))
        lines.insert(draw(st.integers(0, len(lines))), line)
    names = delimiter.join(f"c{at}" for at in range(len(kinds)))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return (end.join([names, *lines]) + draw(st.sampled_from([end, "", end * 2]))).encode()


@pytest.mark.slow
@given(texts(), st.sampled_from([30, 100, 1000, 1 << 18]))
def test_any_text_is_read_in_the_same_way(data: bytes, sample: int) -> None:
    ours, theirs, _ = both_ways(data, sample)
    assert ours == theirs


@pytest.mark.slow
@given(st.data(), st.sampled_from([NUMBERS, DECIMALS, DATES]), st.sampled_from([None, [], ["5"], ["", "red"]]))
def test_columns_of_one_type_are_read_in_the_same_way(
    data: st.DataObject, kind: st.SearchStrategy, missing: object
) -> None:
    plain = data.draw(st.lists(kind, min_size=1, max_size=40))
    text = "\n".join(["number,colour", *(f"{cell},red" for cell in plain)]).encode()
    options = {} if missing is None else {"missing": missing}
    ours, theirs, _ = both_ways(text, **options)
    assert ours == theirs


def table_of(rows: int) -> list[list[str]]:
    """Rows of plain fields of all types."""
    random = np.random.default_rng(0)
    return [
        [
            *(str(random.integers(-50, 5000)), repr(float(random.normal())), f"{random.lognormal(3, 2):.2f}"),
            *(f"town {random.integers(300)}" if random.random() > 0.1 else "", str(random.choice(["yes", "no"]))),
            *("" if random.random() < 0.1 else str(np.datetime64("1950-01-01") + int(random.integers(50000))), "ü"),
        ]
        for _ in range(rows)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_the_kernel_reads_plain_text_of_many_blocks(end: str, last: bool) -> None:
    lines = [",".join(row) for row in [list("abcdefg"), *table_of(12_000)]]
    data = (end.join(lines) + end * last).encode()
    ours, theirs, by_kernel = both_ways(data)
    assert by_kernel == list(range(7))
    assert ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", csv_ways.FILES)
def test_files_of_users_are_equal_cell_by_cell(name: str, tmp_path: Path) -> None:
    """In quotes, with two thousand columns, with cells that do not fit: as the benchmark of both ways writes them."""
    lines, quoting = csv_ways.FILES[name]
    csv_ways.write(tmp_path / "table.csv", lines, quoting, size=400_000)
    ours, theirs, by_kernel = both_ways((tmp_path / "table.csv").read_bytes())
    assert ours == theirs
    left = {"text in quotes": {0, 1, 2, 3}, "cells that do not fit": {1}}.get(name, set())
    assert by_kernel == [at for at in range(len(theirs[1])) if at not in left]  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize("stranger", ["1,1.0,2,a,yes,2020-01-01", '1,1.0,2,"a",yes,2020-01-01,b', "", "1\r,1,1,a,b,,c"])
@pytest.mark.parametrize("at", [9000, pytest.param(12_000, marks=pytest.mark.nightly)])
def test_a_strange_row_in_any_block_is_left_to_the_other_reader(stranger: str, at: int) -> None:
    lines = [",".join(row) for row in [list("abcdefg"), *table_of(12_000)]]
    lines.insert(at, stranger)
    ours, theirs, by_kernel = both_ways("\n".join(lines).encode())
    assert not by_kernel
    assert ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stranger", "left"),
    [
        ("x,1.0,2,a,yes,2020-01-01,b", {0}),
        ("007,1,1,a,b,,c", {0}),
        ("1,1.5,a,7,b,2020-02-30,c", {2, 5}),
        (f"{2**53},1e400,{'9' * 400},a,b,2020,c", {0, 1, 2, 5}),
    ],
)
@pytest.mark.parametrize("at", [9000, pytest.param(12_000, marks=pytest.mark.nightly)])
def test_columns_with_a_stranger_are_left_to_the_other_reader(stranger: str, left: set[int], at: int) -> None:
    lines = [",".join(row) for row in [list("abcdefg"), *table_of(12_000)]]
    lines.insert(at, stranger)
    ours, theirs, by_kernel = both_ways("\n".join(lines).encode())
    assert {*range(7)} - {*by_kernel} == left
    assert ours == theirs


def test_what_the_kernel_does_not_know_is_left_to_the_other_reader() -> None:
    lines = [f"name {at},{at % 7},{at / 8},10:{at % 60:02}:00,b" for at in range(1000)]
    data = "\n".join(["id,x,y,time,word", *lines]).encode()
    ours, theirs, by_kernel = both_ways(data, different=0.5)
    assert by_kernel == [1, 2, 4]
    assert ours == theirs
    few = "\n".join(["id,time,x", *(f"name {at},10:{at % 60:02}:00,1" for at in range(1000))])
    assert not both_ways(few.encode(), different=0.5)[2]


@pytest.mark.slow
@given(
    st.text(max_size=200) | st.text("019.-e,\n\r", max_size=200),
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from(b",;0-e x"),
)
def test_the_kernel_takes_any_text(text: str, types: list[int], delimiter: int) -> None:
    data = text.encode()
    found = _core.read_plain(np.frombuffer(data, np.uint8), delimiter, types, ["", "NA"], 2)
    if found is not None:
        assert len(found) == len(types)
        rows = len(data.removesuffix(b"\n").split(b"\n"))
        assert all(column is None or len(column[0]) == rows for column in found)


def test_the_kernel_refuses_what_is_no_type() -> None:
    with pytest.raises(ValueError, match="type"):
        _core.read_plain(np.zeros(3, np.uint8), 44, [5], [], 1)
    with pytest.raises(ValueError, match="line end"):
        _core.read_plain(np.zeros(3, np.uint8), 10, [0], [], 1)
