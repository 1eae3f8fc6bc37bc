"""ARFF in all its dress."""

from __future__ import annotations

import contextlib
import io
import time

import numpy as np
import pytest

from vaglio.errors import ColumnError, ReadError
from vaglio.table import read

HEAD = """% a comment
@RELATION 'some thing'

@attribute 'quoted name' {'a b', "c,d", '?'}
@ATTRIBUTE size   REAL
@attribute count integer [1,10]
@attribute note string
@attribute day date "yyyy-MM-dd HH:mm"
@Attribute class {yes,no}
@DATA
"""


def _read(text: str, **options):
    return read(io.StringIO(text), **options)


def test_dense_rows():
    table = _read(
        HEAD + "'a b', 1.5, 3, 'it\\'s', \"2020-01-02 12:00\", yes\n% between\n\n\"c,d\",?,?,?,?,no\n'?',2,1,x,?,?\n",
        target="class",
    )
    assert table.shape == (3, 6)
    first = table.column("quoted name")
    assert first.categories == ("a b", "c,d", "?")
    assert first.declared
    # Quoted, a question mark is a value; bare, it is missing.
    assert first.data.tolist() == [0, 1, 2]
    assert np.array_equal(table["size"], [1.5, np.nan, 2], equal_nan=True)
    assert table["note"].tolist() == ["it's", None, "x"]
    assert table["day"][0] == np.datetime64("2020-01-02T12:00")
    assert table["class"].tolist() == ["yes", "no", None]
    assert table.column("class").declared


def test_sparse_rows():
    text = "@relation s\n@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n@data\n{0 5, 1 y}\n{}\n{2 ?}\n"
    table = _read(text)
    assert np.array_equal(table["a"], [5, 0, 0])
    assert table["b"].tolist() == ["y", "x", "x"]
    assert np.array_equal(table["c"], [0, 0, np.nan], equal_nan=True)


def test_wide_sparse_rows_stay_compressed():
    names = "".join(f"@attribute w{at} numeric\n" for at in range(200))
    table = _read(f"@relation s\n{names}@attribute c {{p,n}}\n@data\n{{3 2, 150 1, 200 n}}\n{{7 1}}\n", target="c")
    assert table.shape == (2, 201)
    assert table.sparse.matrix.nnz == 3
    assert table["w150"].tolist() == [1, 0]
    assert table["c"].tolist() == ["n", "p"]


def test_instance_weights():
    table = _read("@relation w\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x,{5}\n2,y\n3,x,{0.5}\n")
    assert table["a"].tolist() == [1, 2, 3]
    assert table.weights.tolist() == [5, 1, 0.5]
    X, _ = table.xy("b")
    assert X.columns == ("a",)
    sparse = _read("@relation w\n@attribute a numeric\n@attribute b {x,y}\n@data\n{0 1},{5}\n{1 y}\n")
    assert sparse.weights.tolist() == [5, 1]
    assert sparse["b"].tolist() == ["x", "y"]


def test_declared_types_are_believed():
    rows = "\n".join(f"{at},v{at % 2},{at % 2}" for at in range(30))
    text = f"@relation t\n@attribute zip numeric\n@attribute n {{v0,v1,v2}}\n@attribute bit numeric\n@data\n{rows}\n"
    table = _read(text)
    assert table.column("bit").kind == "numeric"
    assert table.column("n").categories == ("v0", "v1", "v2")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("@relation a\n@attribute a numeric\n", ReadError, "no @data"),
        ("@relation a\n@data\n1\n", ReadError, "line 2: there is no @attribute"),
        ("@relation a\n@attribute a numeric\n@data\n", ReadError, "no rows below @data"),
        (
            "@relation a\n@attribute a numeric\n@data\n1,2\n",
            ReadError,
            r"row 1 \(line 4\) has 2 values, but 1 attributes",
        ),
        ("@relation a\n@attribute a numeric\n@data\n1\nx\n", ReadError, "row 2, column 'a': 'x' is not a number"),
        (
            "@relation a\n@attribute a {x,y}\n@data\nx\nz\n",
            ReadError,
            "row 2, column 'a': 'z' is not a declared value: the declared values are 'x' and 'y'",
        ),
        ("@relation a\n@attribute a {x,y\n@data\nx\n", ReadError, "line 2: the values of 'a' have no closing brace"),
        (
            "@relation a\n@attribute a relational\n@data\nx\n",
            ReadError,
            "line 2: attribute 'a' has the type 'relational'",
        ),
        ("@relation a\n@attribute a date\n@data\nx\n", ReadError, "row 1, column 'a': 'x' is not a date"),
        ("@relation a\n@attribute a real\n@attribute a real\n@data\n1,1\n", ColumnError, "'a' appears 2 times"),
        ("@relation a\nhello\n@data\n1\n", ReadError, "line 2: 'hello' is not ARFF"),
        ("@relation a\n@attribute a {x}\n@data\n'x',\n", ReadError, r"row 1 \(line 4\) has 2 values, but 1 attributes"),
        ("@relation a\n@attribute a {x}\n@data\n'x\n", ReadError, "is not a declared value: did you mean 'x'"),
        ("@relation a\n@attribute a real\n@data\n1,{x}\n", ReadError, "line 4: the weight 'x' is not a number"),
        ("@relation a\n@attribute a real\n@data\n{0 1}\n1\n", ReadError, r"row 2 \(line 5\): a sparse row is written"),
        ("@relation a\n@attribute a real\n@data\n{4 1}\n", ReadError, "line 4: there is no attribute 4"),
        ("@relation a\n@attribute a real\n@data\n{0 1, 0 2}\n", ReadError, "line 4: attribute 0 appears twice"),
        ("@relation a\n@attribute a real\n@data\n{0 1; 0 2, x}\n", ReadError, "line 4: 'x' in a sparse row is not"),
        (
            "@relation a\n@attribute a real\n@data\n{" + "9" * 5000 + " 1}\n",
            ReadError,
            "line 4: '999.* is not an attribute index",
        ),
    ],
)
def test_errors_in_arff_name_the_line(text, error, said):
    with pytest.raises(error, match=said):
        _read(text)


HARD_LINES = {
    "open quotes": "'a," * 20_000,
    "open quotes of two kinds": "'a,\"b," * 10_000,
    "backslashes": "'" + "\\" * 60_001,
    "escaped quotes": "'" + "\\'" * 30_000,
    "quotes and more": "'a'b" * 15_000,
    "blanks": "x" + " " * 60_000 + "y",
    "blanks and quotes": "'x'" + " " * 60_000 + "y",
    "blanks and weights": "1" + " ," * 30_000 + "{1} x}",
    "braces": "{" * 60_000 + "}",
    "entries": "{" + "0 '" * 20_000 + "}",
    "blank entries": "{0" + " " * 60_000 + "}",
    "percents": "'" + " %" * 30_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["row", "nominal", "name", "sparse"])
@pytest.mark.parametrize("line", HARD_LINES.values(), ids=HARD_LINES)
def test_no_line_takes_more_than_linear_time(line, place):
    """Steps are counted by the time of a line and of one twice as long, measured on the same machine."""
    head, tail = {
        "row": ("@relation r\n@attribute a string\n@data\n", ""),
        "nominal": ("@relation r\n@attribute a {", "}\n@data\nx\n"),
        "name": ("@relation r\n@attribute ", " numeric\n@data\n1\n"),
        "sparse": ("@relation r\n@attribute a string\n@data\n{0 ", "}\n"),
    }[place]

    def seconds(text: str) -> float:
        started = time.process_time()
        with contextlib.suppress(ReadError):
            _read(head + text + tail)
        return time.process_time() - started

    # A quadratic pattern took from 20 seconds to hours here; a linear one takes milliseconds, about sixteen times more
    # for a line sixteen times as long. The sum leaves room for a busy machine.
    assert seconds(line * 16) < 100 * (seconds(line) + 0.02)


def test_comments_behind_values_are_left_out():
    table = _read(
        "@relation r % about\n@attribute a {x,'% y'} % the first\n@attribute b numeric % [cm]\n@data % rows\n"
        "x,1 % one\n'% y',2\nx,3,{2} % twice\n"
    )
    assert table["a"].tolist() == ["x", "% y", "x"]
    assert table["b"].tolist() == [1, 2, 3]
    assert table.weights.tolist() == [1, 1, 2]


def test_a_percent_sign_inside_a_value_is_no_comment():
    assert _read("@relation r\n@attribute a {5%,10%}\n@data\n5%\n10%\n")["a"].tolist() == ["5%", "10%"]
