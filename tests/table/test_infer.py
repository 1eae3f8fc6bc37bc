"""Each written rule of `read`, one test a rule."""

from __future__ import annotations

import io

import numpy as np
import pytest

from vaglio.errors import InputError
from vaglio.table import Column, Table, read
from vaglio.table._convert import as_ordinal


def _column(name: str, values: list, **options):
    rest = [at % 3 for at in range(len(values))]
    return read({name: values, "other": rest}, **options).column(name)


def test_1_empty_columns_are_ignored():
    table = read(io.StringIO("a,b\n1,\n2,\n3,?\n"))
    assert table.column("b").role == "ignored"
    assert table.remarks == ("column 'b' has no values and is ignored",)


@pytest.mark.parametrize("pair", [("no", "yes"), ("False", "True"), ("f", "t"), ("N", "Y")])
def test_2_yes_and_no(pair):
    column = _column("a", [pair[1], pair[0], pair[1], None, pair[0]])
    assert column.categories == pair
    assert column.data.tolist() == [1, 0, 1, -1, 0]


def test_2_spellings_are_remarked_on():
    table = read({"a": ["Yes", "yes", "no", "no", "yes"]})
    assert table.column("a").categories == ("no", "Yes", "yes")
    assert table.remarks == ("column 'a' spells no and yes in several ways (Yes, no and yes): use one spelling",)


def test_3_codes():
    column = _column("a", ["007", "012", "007", "100", "012"])
    assert column.kind == "nominal"
    assert column.categories == ("007", "012", "100")


def test_4_numbers_written_as_words():
    column = _column("a", ["1.5", "2", None, "-3e2", "2"])
    assert column.kind == "numeric"
    assert np.array_equal(column.data, [1.5, 2, np.nan, -300, 2], equal_nan=True)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        (["2020-03-01", "2020-03-02", None], 18322),
        (["2020-03-01T12:00:00", "2020-03-02T00:00:00", None], 18322.5),
        (["01/03/2020", "31/12/2020", None], 18322),
        (["03/01/2020", "12/31/2020", None], 18322),
        (["1.3.2020", "2.3.2020", None], 18322),
    ],
)
def test_5_dates(words, day):
    column = _column("d", words)
    assert column.is_date
    assert column.level == "interval"
    assert column.data[0] == day
    assert np.isnan(column.data[2])


def test_5_ambiguous_dates_stay_words():
    assert _column("d", ["01/03/2020", "02/03/2020", "01/03/2020"]).kind == "nominal"


def test_6_text():
    said = [f"this one is comment number {at} of the lot" for at in range(8)]
    table = read({"said": said, "class": ["a", "b"] * 4})
    assert table.column("said").kind == "text"
    assert table.remarks == ("column 'said' is read as free text",)


def test_7_identifiers():
    n = 344
    table = read(
        {
            "name": [f"p{at}" for at in range(n)],
            "row": list(range(1, n + 1)),
            "PassengerId": [7 * at for at in range(n)],
            "weight": [3.5 * at for at in range(n)],
            "far": [11 * at for at in range(n)],
        }
    )
    roles = {name: table.column(name).role for name in table.columns}
    assert roles == {
        "name": "identifier",
        "row": "identifier",
        "PassengerId": "identifier",
        "weight": "input",
        "far": "input",
    }
    said = "column 'name' looks like an identifier (344 distinct values in 344 rows) and is left out of training"
    assert said in table.remarks


def test_7_the_target_is_never_an_identifier():
    table = read({"a": [1, 2, 3, 4, 5, 6], "word": list("abcdef")}, target="word", roles={"a": "input"})
    assert table.column("word").role == "target"
    assert table.column("a").role == "input"
    assert table.column("a").kind == "numeric"


def test_8_numbers_that_are_codes():
    table = read({"zip": [10115, 80331, 10115, 20095, 10115], "store_id": [3, 4, 3, 3, 4], "age": [3, 4, 3, 3, 4]})
    assert [table.column(name).kind for name in table.columns] == ["nominal", "nominal", "numeric"]
    assert table.column("zip").categories == (10115, 20095, 80331)


def test_9_binary():
    column = _column("bit", [0, 1, 1, 0, 1])
    assert (column.kind, column.categories, column.asymmetric) == ("nominal", (0, 1), False)
    assert _column("rare", [0] * 19 + [1]).asymmetric


def test_10_levels():
    table = read({"mass": [1.5, 2, 3], "change": [-1.5, 2, 3], "year": [2007, 2008, 2010]})
    assert [table.column(name).level for name in table.columns] == ["ratio", "interval", "interval"]
    assert read(io.StringIO("at,b\n12:30:00,1\n13:00:00,2\n")).column("at").level == "interval"


def test_overrides_overrule():
    table = read(
        io.StringIO("id,zip,size,when\n1,5,small,1/2/2020\n2,6,large,3/2/2020\n3,5,medium,\n4,5,small,\n5,6,,\n"),
        levels={"zip": "ratio", "size": ["small", "medium", "large"], "when": "nominal"},
        roles={"id": "input"},
    )
    assert table.column("zip").kind == "numeric"
    assert table.column("size").level == "ordinal"
    assert table.column("size").data.tolist() == [0, 2, 1, 0, -1]
    assert table.column("when").kind == "nominal"
    assert table.column("id").role == "input"
    assert not any("left out" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"size": ["small", "large"]}, "'size', row 3: 'medium' is not in the given order"),
        ({"size": "ordinal"}, "order of its values is not known"),
        ({"size": "numeric"}, "'size' has 'small' .* where a number is expected"),
        ({"size": "huge"}, "the level is nominal, ordinal"),
        ({"size": "date"}, "cannot all be read as dates"),
        ({"sizes": "nominal"}, "no column 'sizes'; did you mean 'size'"),
    ],
)
def test_errors_in_overrides_name_the_column(levels, said):
    with pytest.raises(InputError, match=said):
        read({"size": ["small", "large", "medium"], "n": [1, 2, 3]}, levels=levels)


def test_frames_in_fit_are_not_inferred():
    table = Table.from_any({"id": list(range(10)), "bit": [0, 1] * 5, "date": ["2020-01-01"] * 10})
    assert [table.column(name).kind for name in table.columns] == ["numeric", "numeric", "nominal"]
    assert all(table.column(name).role == "input" for name in table.columns)


def test_a_number_that_is_not_in_the_order_is_named_as_people_write_it():
    column = Column.numeric("a", [1.0, 2.0, 3.5])
    with pytest.raises(InputError, match=r"column 'a', row 3: 3\.5 is not in the given order \(1, 2\)"):
        as_ordinal(column, ["1", "2"])
