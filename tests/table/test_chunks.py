"""Chunks have the rows and the types of the whole."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.errors import DataWarning, InputError, ReadError
from vaglio.table import Table, read, read_chunks, scan, write

N = 1000
WHOLE = Table.from_any(
    {
        "x": [None if at % 7 == 0 else at / 4 for at in range(N)],
        "c": [("red", "green", "blue", None)[at % 4] for at in range(N)],
        "bit": [at % 2 for at in range(N)],
    },
    levels={"c": "nominal", "bit": "nominal"},
)


def _join(chunks: list[Table], name: str) -> list:
    return [value for chunk in chunks for value in chunk[name].tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.jsonl"])
@pytest.mark.parametrize("rows", [1, 300, 5000])
def test_chunks_are_the_whole(tmp_path, name, rows):
    if rows == 1:
        table = WHOLE[:5]
    else:
        table = WHOLE
    write(table, tmp_path / name)
    chunks = list(read_chunks(tmp_path / name, rows=rows, like=WHOLE))
    assert [len(chunk) for chunk in chunks] == [min(rows, len(table) - at) for at in range(0, len(table), rows)]
    assert np.array_equal(_join(chunks, "x"), table["x"].tolist(), equal_nan=True)
    for column in ("c", "bit"):
        assert _join(chunks, column) == table[column].tolist()
        assert all(chunk.column(column).categories == WHOLE.column(column).categories for chunk in chunks)


def test_like_may_be_tuples_and_unseen_values_are_missing():
    text = b"x,c,extra\n1,red,u\n2,pink,v\n"
    (chunk,) = read_chunks(io.BytesIO(text), like=[("x", "numeric"), ("c", "nominal", ("red", "green"))])
    assert chunk["c"].tolist() == ["red", None]
    assert chunk["x"].tolist() == [1, 2]
    assert chunk["extra"].tolist() == ["u", "v"]


def test_without_like_the_first_chunk_decides():
    text = "x,c\n" + "".join(f"{at},{'yes' if at % 2 else 'no'}\n" for at in range(50))
    chunks = list(read_chunks(io.BytesIO(text.encode()), rows=20))
    assert [chunk.shape for chunk in chunks] == [(20, 2), (20, 2), (10, 2)]
    assert {chunk.column("x").kind for chunk in chunks} == {"numeric"}


def test_standard_input(monkeypatch):
    packed = gzip.compress(b"x,c\n1,red\n,green\n")
    for data in (b"x,c\n1,red\n,green\n", packed):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        (chunk,) = read_chunks("-", like=[("x", "numeric"), ("c", "nominal")])
        assert np.array_equal(chunk["x"], [1, np.nan], equal_nan=True)


def test_latin_1_and_utf_16():
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        (chunk,) = read_chunks(io.BytesIO("città,n\nForlì,1\n".encode(encoding)), like=[("n", "numeric")])
        assert chunk["città"].tolist() == ["Forlì"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"x,c\n1,a\nbad,b\n", "row 2, column 'x': 'bad' is not a number"),
        (b"x,c\n1,a\n1\n", "row 2 has 1 field; expected 2"),
        (b"x,c\n", "has no rows"),
        (b"", "is empty"),
        (gzip.compress(b"x,c\n1,a\n", mtime=0)[:-6], "gzip but damaged"),
    ],
)
def test_errors_in_a_chunk_name_the_row(text, said):
    with pytest.raises(ReadError, match=said):
        list(read_chunks(io.BytesIO(text), like=[("x", "numeric"), ("c", "nominal")]))


def test_bad_requests(tmp_path):
    with pytest.raises(ReadError, match="There is no file"):
        list(read_chunks(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="at least one row"):
        list(read_chunks(io.BytesIO(b"a\n1\n"), rows=0))


def test_dates_in_chunks():
    text = "when,v\n2020-01-01,1\n2020-01-02,2\n"
    like = read(io.StringIO(text))
    (chunk,) = read_chunks(io.BytesIO(text.encode()), like=like)
    assert chunk.column("when").is_date
    assert chunk["when"][1] == np.datetime64("2020-01-02")


def test_dates_may_come_late():
    text = io.BytesIO(b"when,v\n,1\n,2\n31/12/2020,3\n")
    first, second = read_chunks(text, rows=2, like=[("when", "date"), ("v", "numeric")])
    assert first.column("when").is_date
    assert first.column("when").n_missing == 2
    assert second["when"][0] == np.datetime64("2020-12-31")


def test_columns_nobody_asked_for_are_passed_on_whatever_they_hold():
    content = b"x,odd\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(100)) + b"1,word\n"
    chunks = list(read_chunks(io.BytesIO(content), rows=40, like=[("x", "numeric")]))
    assert _join(chunks, "odd") == [*map(str, range(100)), "word"]


def test_a_bad_value_in_a_later_chunk_is_placed():
    content = b"x,y\n" + b"".join(b"%d,1\n" % i for i in range(300)) + b"word,1\n"
    with pytest.raises(ReadError, match=r"row 301, column 'x': 'word' is not a number.*missing=\['word'\]"):
        list(read_chunks(io.BytesIO(content), rows=50, like=[("x", "numeric")]))


def test_a_few_bad_values_after_the_rows_that_show_the_types_are_missing(tmp_path):
    content = b"x,y\n" + b"".join(b"%d,1\n" % i for i in range(65_536)) + b"word,1\n"
    for path in (io.BytesIO(content), tmp_path / "rows.csv"):
        if isinstance(path, io.BytesIO):
            chunks = read_chunks(path)
        else:
            path.write_bytes(content)
            data = scan(path)
            chunks = data.parts[0].tables(data.reading, 10_000)
        with pytest.warns(DataWarning, match="row 65,537, column 'x': 'word' is not a number and counts as missing"):
            cells = _join(list(chunks), "x")
        assert cells[:65_536] == list(range(65_536))
        assert np.isnan(cells[65_536])
    # The rows of another table are no part of this one.
    with pytest.raises(ReadError, match="row 65,537, column 'x': 'word' is not a number"):
        list(read_chunks(io.BytesIO(content), like=scan(path).cell_formats))


class _SlowPipe(io.BytesIO):
    def read(self, size=-1):
        return super().read(min(size, 3) if size > 0 else size)


def test_a_slow_pipe_shows_whole_rows():
    text = "x;c\n" + "".join(f"{at},5;red\n" for at in range(200))
    chunks = list(read_chunks(_SlowPipe(text.encode()), rows=64, like=[("x", "numeric"), ("c", "nominal")]))
    assert _join(chunks, "x") == [at + 0.5 for at in range(200)]


FIELD = st.text(st.sampled_from('ab",\n ;x'), max_size=6)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=20), st.integers(1, 8))
def test_any_chunk_size_gives_the_rows_of_the_whole(rows, size):
    quoted = [",".join('"' + field.replace('"', '""') + '"' for field in ("v" + a, "w" + b)) for a, b in rows]
    content = ("first,second\n" + "\n".join(quoted) + "\n").encode()
    chunks = list(read_chunks(io.BytesIO(content), rows=size, like=[("first", "nominal"), ("second", "nominal")]))
    assert _join(chunks, "first") == [("v" + a).strip() for a, _ in rows]
