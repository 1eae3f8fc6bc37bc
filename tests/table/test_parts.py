from __future__ import annotations

import gzip
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

import vaglio
from vaglio.errors import ReadError
from vaglio.table import read_parts

ROWS = [(i, "a,b" if i % 3 else 'say "x"\nnext', i / 4 if i % 5 else None) for i in range(200)]


def _csv(rows=ROWS) -> bytes:
    def cell(value: object) -> str:
        if value is None:
            return ""
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text

    lines = ["n,word,x"] + [",".join(map(cell, row)) for row in rows]
    return "\n".join(lines).encode() + b"\n"


INPUTS = {"word": "nominal", "x": None}


def _check(parts: list[vaglio.Table], least: int) -> None:
    assert len(parts) >= least
    assert [value for part in parts for value in part["n"].tolist()] == list(range(200))
    assert [value for part in parts for value in part["word"].tolist()] == [row[1] for row in ROWS]
    numbers = np.concatenate([part["x"] for part in parts])
    assert np.array_equal(numbers, [np.nan if row[2] is None else row[2] for row in ROWS], equal_nan=True)


@pytest.mark.parametrize("size", [100, 257, 1 << 20])
def test_csv_is_cut_between_records_even_when_fields_hold_line_ends(size: int):
    _check(list(read_parts(io.BytesIO(_csv()), INPUTS, part_bytes=size)), 1 if size > 10_000 else 5)


def test_gzip_is_unpacked_on_the_way(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(_csv()))
    _check(list(read_parts(path, INPUTS, part_bytes=300)), 5)


def test_parquet_and_arrow_come_in_their_batches(tmp_path):
    n, word, x = zip(*ROWS)
    table = pa.table({"n": n, "word": word, "x": x})
    parquet.write_table(table, tmp_path / "rows.parquet")
    feather.write_feather(table, tmp_path / "rows.arrow", chunksize=50)
    _check(list(read_parts(tmp_path / "rows.parquet", INPUTS)), 1)
    _check(list(read_parts(tmp_path / "rows.arrow", INPUTS)), 4)


def test_columns_nobody_asked_for_are_passed_on_whatever_they_hold():
    content = b"x,odd\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(100)) + b"1,word\n"
    (part,) = read_parts(io.BytesIO(content), {"x": None})
    assert part["odd"][-1] == "word"
    with pytest.raises(ReadError, match="'word' among numbers"):
        list(read_parts(io.BytesIO(content), {"x": None, "odd": None}))


def test_a_bad_value_in_a_later_part_is_placed():
    content = b"x\n" + b"".join(b"%d\n" % i for i in range(300)) + b"word\n"
    with pytest.raises(ReadError, match="counted from row"):
        list(read_parts(io.BytesIO(content), {"x": None}, part_bytes=400))


def test_no_rows(tmp_path):
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(ReadError, match="no rows"):
        list(read_parts(tmp_path / "empty.csv", {"a": None}))


FIELD = st.text(st.sampled_from('ab",\n ;x'), max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=20), st.integers(20, 80))
def test_any_cut_gives_the_rows_of_the_whole(rows, size):
    quoted = [",".join('"' + field.replace('"', '""') + '"' for field in ("v" + a, "w" + b)) for a, b in rows]
    content = ("first,second\n" + "\n".join(quoted) + "\n").encode()
    parts = list(read_parts(io.BytesIO(content), {"first": "nominal", "second": "nominal"}, part_bytes=size))
    found = [value for part in parts for value in part["first"].tolist()]
    assert found == [("v" + a).strip() for a, _ in rows]
