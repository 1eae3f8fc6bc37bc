"""Delimited text: dialect, header, encoding, decimals and codes are found; what is wrong is named."""

from __future__ import annotations

import contextlib
import gzip
import io
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.errors import ColumnError, InputError, ReadError
from vaglio.table import read


def _read(text: str | bytes, **options):
    return read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(delimiter):
    text = "\n".join(delimiter.join(row) for row in (["a", "b", "c"], ["1", "x y", "2.5"], ["2", "z", "3.5"]))
    table = _read(text)
    assert table.columns == ("a", "b", "c")
    assert table["a"].tolist() == [1, 2]
    assert table["b"].tolist() == ["x y", "z"]


def test_decimal_comma():
    table = _read("a;b\n1,5;x\n-2,25;y\n3;x\n")
    assert table["a"].tolist() == [1.5, -2.25, 3]


def test_quoted_newlines_and_quotes():
    table = _read('a,b\n1,"two\nlines, ""quoted"""\n2,plain\n')
    assert table["b"].tolist() == ['two\nlines, "quoted"', "plain"]


def test_missing_tokens_are_settable():
    text = "a,b\n1,x\n?,NA\n-99, ?\n4,none\n"
    table = _read(text)
    assert table.column("a").n_missing == 1
    assert table.column("b").n_missing == 2
    table = _read(text, missing=["-99", "?"])
    assert table.column("a").n_missing == 2
    assert table.column("b").n_missing == 1
    assert "NA" in table.column("b").categories


def test_blanks_around_values_do_not_count():
    table = _read("age, work\n39, State-gov\n 50, Private\n38,Private \n")
    assert table.columns == ("age", "work")
    assert table["age"].tolist() == [39, 50, 38]
    assert table.column("work").categories == ("Private", "State-gov")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ("column_1", "column_2", "column_3")),
        ("length,width,kind\n5.1,3.5,setosa\n", ("length", "width", "kind")),
        ("low,2,big\nhigh,3,big\nlow,4,big\n", ("column_1", "column_2", "column_3")),
        ("a,b\nx,y\ny,x\n", ("a", "b")),
        ("x,y\nx,y\ny,y\n", ("column_1", "column_2")),
        ("0,1,2\n7.5,8,9\n1,2,3\n", ("0", "1", "2")),
        ("a,,c\n1,2,3\n", ("a", "column_2", "c")),
    ],
)
def test_header_is_found(text, names):
    assert _read(text).columns == names


def test_header_is_overridden():
    assert _read("x,y\nx,y\ny,y\n", header=True).columns == ("x", "y")
    assert len(_read("a,b\n1,2\n", header=False)) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_encoding_is_found(encoding):
    table = _read("città,età\nForlì,3\nBari,4\n".encode(encoding))
    assert table.columns == ("città", "età")
    assert table["città"].tolist() == ["Forlì", "Bari"]
    assert any("not UTF-8" in remark for remark in table.remarks) == (encoding == "latin-1")


def test_a_wrong_encoding_is_named_in_the_error():
    with pytest.raises(ReadError, match=r"line 2: byte 8 cannot be read as utf-8. Set encoding"):
        _read("a,b\nForl\xec,3\n".encode("latin-1"), encoding="utf-8")
    with pytest.raises(ReadError, match="does not know the encoding 'klingon'"):
        _read("a,b\n1,2\n", encoding="klingon")


def test_gzip(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))
    assert read(path).shape == (2, 2)
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n")[:-9])
    with pytest.raises(ReadError, match="gzip but damaged"):
        read(path)


@pytest.mark.slow
def test_thousands_of_columns():
    wide = np.arange(3 * 4000).reshape(3, 4000)
    text = ",".join(f"c{at}" for at in range(4000)) + "\n" + "\n".join(",".join(map(str, row)) for row in wide + 0.5)
    table = _read(text)
    assert table.shape == (3, 4000)
    assert np.array_equal(np.asarray(table), wide + 0.5)


def test_codes_keep_their_zeros_and_digits():
    table = _read("zip,card,n\n00501,12345678901234567,7\n10001,12345678901234568,8\n00501,12345678901234567,9\n")
    assert table["zip"].tolist() == ["00501", "10001", "00501"]
    assert table.column("card").categories == ("12345678901234567", "12345678901234568")
    assert table["n"].tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("a,b\n1,2\n3\n5,6\n", ReadError, r"row 2 \(line 3\) has 1 field; expected 2"),
        ("a,b\n1,2\n3,4,5\n5,6\n", ReadError, r"row 2 \(line 3\) has 3 fields; expected 2"),
        ("a,b\n", ReadError, "names but no rows"),
        ("a,b", ReadError, "names but no rows"),
        ('a,b\n"1,x\n2,y\n', ReadError, "has 1 field; expected 2"),
        ("", ReadError, "is empty"),
        ("  \n\n", ReadError, "is empty"),
        ("a,b,a\n1,2,3\n", ColumnError, r"'a' appears 2 times \(positions 1 and 3\)"),
        ("\0\1\2\3abc\0\7", ReadError, "binary data"),
        ("<!DOCTYPE html><html></html>", ReadError, "HTML page without a table"),
    ],
)
def test_errors_in_text_name_the_row(text, error, said):
    with pytest.raises(error, match=said):
        _read(text)


def test_a_word_among_numbers_is_missing_and_named():
    text = "a,b\n" + "".join(f"{at},{at % 3}\n" for at in range(40)) + "oops,1\n"
    table = _read(text)
    column = table.column("a")
    assert (column.kind, column.n_missing, column.unread.values[-1]) == ("numeric", 1, "oops")
    assert any("1 cell is not a number and counts as missing ('oops' in row 41)" in remark for remark in table.remarks)
    assert table[40:].column("a").unread.values.tolist() == ["oops"]
    assert _read(text, numeric_share=1.0).column("a").kind == "nominal"
    assert _read(text, missing=["oops"]).column("a").n_missing == 1
    assert _read(text, levels={"a": "nominal"}).column("a").kind == "nominal"


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n")))
    assert read("-").shape == (1, 2)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.text(alphabet='ab ,;"\n\tè', max_size=6)),
        min_size=1,
        max_size=12,
    )
)
def test_what_csv_writes_is_read_back(rows):
    import csv

    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC).writerows([("number", "words"), *((n, f"w{w}") for n, w in rows)])
    table = read(
        io.StringIO(out.getvalue()), levels={"number": "numeric", "words": "nominal"}, delimiter=",", header=True
    )
    assert table["number"].tolist() == [number for number, _ in rows]
    assert table["words"].tolist() == [f"w{word}".strip() for _, word in rows]


@pytest.mark.slow
@pytest.mark.parametrize("delimiter", [",", pytest.param(";", marks=pytest.mark.nightly), None])
def test_lines_and_cells_of_any_length_are_read(delimiter):
    """A field of more than 131,072 characters is an error of Python's own module for CSV."""
    mark = delimiter or ","
    names = [f"column_number_{at}" for at in range(12_000)]
    wide = f"{mark.join(names)}\n{mark.join('1' * 12_000)}\n"
    assert read(io.StringIO(wide), delimiter=delimiter).shape == (1, 12_000)
    long = f"a{mark}b\n1{mark}x\n2{mark}{'y' * 3_000_000}\n3{mark}z\n"
    assert read(io.StringIO(long), delimiter=delimiter)["a"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("delimiter", ["::", "", "é", '"', "\n", "\0"])
@pytest.mark.parametrize("kind", ["table", "transactions"])
def test_a_delimiter_is_one_character(delimiter, kind):
    with pytest.raises(InputError, match="delimiter must be one ASCII character"):
        read(io.StringIO("a::b\n1::2\n"), delimiter=delimiter, kind=kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", ["1" * 200_000 + "x", "1." * 100_000, " " * 200_000 + "x", "1,2" * 70_000, "'" * 200_000]
)
def test_no_cell_takes_more_than_linear_time(cell):
    started = time.process_time()
    with contextlib.suppress(ReadError):
        read(io.StringIO(f"a;b\n1;{cell}\n2;{cell}\n"))
    short = time.process_time() - started
    with contextlib.suppress(ReadError):
        read(io.StringIO(f"a;b\n1;{cell * 4}\n2;{cell * 4}\n"))
    # Linear would be four times; a quadratic pattern needs minutes for the short one.
    assert time.process_time() - started < 40 * (short + 0.05)


def test_bytes_of_several_encodings_and_zero_bytes_are_read_or_refused():
    mixed = "a,b\n1,perché\n".encode() + "2,perché\n".encode("latin-1")
    assert read(io.BytesIO(mixed)).shape == (2, 2)
    with pytest.raises(ReadError, match="binary data"):
        read(io.BytesIO(b"a,b\n1,\0x\n"))
    late = b"a,b\n" + b"1,x\n" * 40_000 + b"2,\0\n"
    assert read(io.BytesIO(late)).shape == (40_001, 2)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400, "1" + "0" * 5000])
def test_numbers_beyond_the_range_of_floats_are_refused_or_codes(number):
    for text in (f"a,b\n{number},1\n2.5,2\n", f"@relation r\n@attribute a numeric\n@data\n{number}\n"):
        with contextlib.suppress(ReadError):
            table = read(io.StringIO(text))
            assert table.column(0).kind != "numeric" or not np.isinf(table.column(0).data).any()
