"""Frames, arrays and containers become the same Table, by dtype alone, and go back as they came."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing

from vaglio.errors import ColumnError, InputError
from vaglio.table import Column, Table


class SeriesWithoutStream(pd.Series):
    """A Series as in pandas 2: it hands out no stream of Arrow."""

    @property
    def __arrow_c_stream__(self):
        raise AttributeError


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "whole": [1, 2, 3],
            "number": [1.5, np.nan, 2.0],
            "word": ["x", None, "y"],
            "size": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
            "flag": [True, False, True],
            "when": pd.to_datetime(["2020-01-01 00:00:00.000000", "2021-05-06 07:08:09.123456", None]),
            "object": np.array([1, 2.5, None], dtype=object),
        }
    )


def test_kinds_go_by_dtype(frame):
    table = Table.from_any(frame)
    kinds = {name: table.column(name).kind for name in table.columns}
    assert kinds == {
        "whole": "numeric",
        "number": "numeric",
        "word": "nominal",
        "size": "nominal",
        "flag": "nominal",
        "when": "numeric",
        "object": "numeric",
    }
    size = table.column("size")
    assert size.categories == ("lo", "mid", "hi")
    assert size.level == "ordinal"
    assert size.declared
    assert table.column("word").categories == ("x", "y")
    assert not table.column("word").declared
    when = table.column("when")
    assert when.is_date
    assert when.level == "interval"
    assert when.data[0] == 18262.0
    assert table["when"][1] == np.datetime64("2021-05-06T07:08:09.123456")


def test_pandas_round_trip(frame):
    frame = frame.drop(columns="object")
    back = Table.from_any(frame).to_frame()
    pd.testing.assert_frame_equal(back, frame, check_dtype=True)


def test_polars_round_trip():
    frame = pl.DataFrame(
        {
            "a": [1, None, 3],
            "b": ["x", "y", None],
            "c": pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "mid", "hi"])),
            "d": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
        }
    )
    table = Table.from_any(frame)
    assert table.column("c").categories == ("lo", "mid", "hi")
    assert table.column("c").declared
    assert not table.column("d").declared
    back = table.to_frame()
    assert isinstance(back, pl.DataFrame)
    assert back.select("a", "b").equals(frame.select("a", "b"))
    assert back["c"].cast(pl.String).to_list() == ["lo", "hi", "lo"]


def test_pyarrow_round_trip(frame):
    arrow = pa.Table.from_pandas(frame.drop(columns="object"), preserve_index=False)
    back = Table.from_any(arrow).to_frame()
    assert isinstance(back, pa.Table)
    assert back.to_pylist() == arrow.to_pylist()
    assert pa.table(Table.from_any(arrow)).to_pylist() == arrow.to_pylist()


def test_all_libraries_agree(frame):
    frame = frame.drop(columns=["object", "size"])
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    tables = [Table.from_any(given) for given in (frame, arrow, pl.from_pandas(frame), arrow.to_pydict())]
    for other in tables[1:]:
        assert other == tables[0]


def test_numpy_is_not_copied():
    array = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    table = Table.from_any(array)
    assert table.columns == ("x0", "x1")
    assert np.shares_memory(table.column("x0").data, array)
    with pytest.raises(ValueError, match="read-only"):
        table.column("x0").data[0] = 9
    assert np.array_equal(np.asarray(table), array)


def test_structured_array():
    array = np.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("w", "U3")])
    table = Table.from_any(array)
    assert table["n"].tolist() == [1.0, 2.0]
    assert table["w"].tolist() == ["a", "b"]


def test_rows_of_dicts_may_miss_keys():
    table = Table.from_any([{"a": 1, "b": "x"}, {"b": "y", "c": True}])
    assert table.columns == ("a", "b", "c")
    assert np.isnan(table["a"][1])
    assert table["c"].tolist() == [None, True]


def test_sparse_stays_sparse():
    matrix = sparse.random_array((20, 5), density=0.2, rng=np.random.default_rng(0), format="csr")
    table = Table.from_any(matrix)
    assert table.shape == (20, 5)
    assert np.array_equal(table["x3"], matrix.toarray()[:, 3])
    part = table[5:10].select(["x1", "x4"])
    assert np.array_equal(part.sparse.matrix.toarray(), matrix.toarray()[5:10][:, [1, 4]])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": [1, "x"]}, "'a' mixes types: row 1 has a number"),
        ({"a": [1.0, float("inf")]}, "'a' has an infinite number in row 2"),
        ([[1, 2], [3]], "Row 2 has 1 value, but the first row has 2"),
        (3, "not a table"),
        (pd.Series([1, 2]), "A Series is one column"),
        (SeriesWithoutStream([1, 2]), "A SeriesWithoutStream is one column"),
        (pl.LazyFrame({"a": [1]}), "no rows yet"),
        (np.array([[1 + 2j]]), "complex number"),
        (np.arange(3), "1 dimension"),
        ({"a": [1, 2], "b": [1]}, "same number of rows"),
        (pa.table({"a": [[1], [2]]}), "'a' holds list"),
    ],
)
def test_input_that_is_no_table_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        Table.from_any(given)


def test_duplicate_names():
    with pytest.raises(ColumnError, match=r"'a' appears 2 times \(positions 1 and 3\)"):
        Table.from_any(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))


def test_overrides():
    table = Table.from_any(
        {"zip": [1, 2, 1], "size": ["s", "l", "m"]},
        levels={"zip": "nominal", "size": ["s", "m", "l"]},
        roles={"zip": "ignored"},
    )
    assert table.column("zip").categories == (1, 2)
    assert table.column("zip").role == "ignored"
    assert table.column("size").data.tolist() == [0, 2, 1]
    assert table.column("size").level == "ordinal"


def test_row_indexing(frame):
    table = Table.from_any(frame)
    assert table[[2, 0]]["whole"].tolist() == [3, 1]
    assert table[np.array([True, False, True])].shape == (2, 7)
    assert len(table[1:]) == 2
    assert len(table[-1]) == 1
    assert table[[0, 1, 2]] == table
    assert table[[0, 1]] != table
    with pytest.raises(InputError, match="mask has 2 rows"):
        table[[True, False]]


def test_scikit_learn_takes_a_table():
    X = Table.from_any(np.random.default_rng(0).normal(size=(60, 3)))
    y = (X["x0"] > 0).astype(int)
    train, test, *_ = train_test_split(X, y, random_state=0)
    assert isinstance(train, Table)
    assert len(train) + len(test) == 60
    assert _safe_indexing(X, [3, 1])["x1"].tolist() == X["x1"][[3, 1]].tolist()
    assert _safe_indexing(X, [0, 2], axis=1).columns == ("x0", "x2")
    assert np.array_equal(_safe_indexing(X, 1, axis=1), X["x1"])
    assert cross_val_score(DecisionTreeClassifier(), X, y, cv=3).mean() > 0.9


def test_pickle_and_equality(frame):
    table = Table.from_any(frame)
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert again.to_frame().equals(table.to_frame())


def test_columns_can_be_changed_only_in_a_copy(frame):
    table = Table.from_any(frame)
    changed = table.with_column(Column.numeric("whole", [7, 8, 9])).drop("word").with_roles({"flag": "ignored"})
    assert changed["whole"].tolist() == [7, 8, 9]
    assert "word" not in changed
    assert table["whole"].tolist() == [1, 2, 3]
    assert changed.column("flag").role == "ignored"


def test_unknown_column_names_close_ones(frame):
    with pytest.raises(ColumnError, match="no column 'nubmer': did you mean 'number'"):
        Table.from_any(frame).column("nubmer")
    with pytest.raises(ColumnError, match="position 9"):
        Table.from_any(frame).column(9)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Column 'a' appears 2 times"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "Column '1' appears 2 times"),
        (
            pd.DataFrame({"a": np.array(["\ud800", "b"], dtype=object)}, dtype=object),
            "Column 'a' has .* in row 1, which is not valid",
        ),
        ({"\ud800": [1, 2]}, "The column name .* is not valid Unicode text"),
        (
            pd.DataFrame({"a": pd.Categorical.from_codes([0, 1], pd.Index(["\ud800", "b"], dtype=object))}),
            "a table cell cannot hold",
        ),
        ({"a": [10**400, 1]}, "Column 'a' has a number in row 1 that is too large"),
        ({"a": [1, "x", 2**70]}, "Column 'a' mixes types"),
        ({"a": 1}, "Column 'a' is 1. Give a list"),
        ({"a": None}, "Column 'a' is None. Give a list"),
        (
            pa.table(
                {"a": pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff"))},
            ),
            "a table cell cannot hold",
        ),
    ],
)
def test_what_no_table_can_hold_is_an_input_error(source, said):
    with pytest.raises(InputError, match=said):
        Table.from_any(source)


def test_whole_numbers_beyond_64_bits_are_numbers():
    assert Table.from_any({"a": [2**70, None, 1]})["a"].tolist()[::2] == [2.0**70, 1.0]
    assert Table.from_any({"a": [2**60, 1.5]})["a"].tolist() == [2.0**60, 1.5]
