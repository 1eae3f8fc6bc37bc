"""From a table to X and y, and a table on screen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.errors import ColumnError, InputError
from vaglio.table import Column, Table, read


@pytest.fixture
def table() -> Table:
    return Table(
        [
            Column.nominal("id", range(4), list("abcd"), role="identifier"),
            Column.numeric("x", [1, 2, 3, 4]),
            Column.numeric("w", [1, 2, 1, 1], role="weight"),
            Column.nominal("class", [0, -1, 1, 0], ("no", "yes")),
        ]
    )


def test_rows_without_a_class_are_set_aside_and_counted(table):
    X, y = table.xy("class")
    assert X.columns == ("x",)
    assert X["x"].tolist() == [1, 3, 4]
    assert y.tolist() == ["no", "yes", "no"]
    assert X.remarks == ("1 row has no value in the target 'class' and is left out.",)
    assert table.labelled("class").weights.tolist() == [1, 1, 1]


def test_target_role_and_position(table):
    marked = table.with_roles({-1: "target"})
    assert marked.target == "class"
    assert marked.xy()[1].tolist() == ["no", "yes", "no"]
    with pytest.raises(ColumnError, match="Which column is the target"):
        table.xy()


def test_numeric_classes():
    X, y = Table.from_any({"x": [1.0, 2, 3], "y": [0, 2, None]}).xy("y")
    assert y.tolist() == [0, 2]
    assert y.dtype == np.int64
    assert len(X) == 2


def test_continuous_target():
    table = Table.from_any({"x": [1.0, 2, 3], "y": [0.5, 2, 3.25]})
    assert table.xy("y")[1].tolist() == [0.5, 2, 3.25]
    with pytest.raises(InputError, match=r"'y' is continuous .* predict numbers .*, or declare the target nominal"):
        table.xy("y", task="classification")
    assert table.xy("y", task="regression")[1].tolist() == [0.5, 2, 3.25]
    assert read(table, target="y", levels={"y": "nominal"}).xy()[1].tolist() == [0.5, 2, 3.25]
    with pytest.raises(InputError, match="A regressor needs numbers"):
        Table.from_any({"y": ["a"]}).xy("y", task="regression")
    with pytest.raises(InputError, match="task must be"):
        table.xy("y", task="clustering")


def test_no_class_at_all():
    with pytest.raises(InputError, match="No row has a value in the target 'y'"):
        Table.from_any({"x": [1.0], "y": [None]}).xy("y")


def test_boolean_classes():
    assert Table.from_any({"x": [1, 2], "y": [True, False]}).xy("y")[1].tolist() == [True, False]


def test_text_and_html():
    table = read({"size": [1.5, None, 3.0], "<b>": ["x", "y", "x"], "empty": [None, None, None]}, target="<b>")
    lines = repr(table).splitlines()
    assert lines[0] == "Table of 3 rows and 3 columns"
    assert lines[1].split() == ["column", "kind", "level", "values", "role", "missing", "distinct", "example"]
    assert lines[2].split() == ["size", "numeric", "ratio", "binary", "input", "33.3%", "2", "1.5"]
    assert lines[3].split() == ["<b>", "nominal", "nominal", "binary", "target", "-", "2", "x,", "y"]
    assert lines[-1] == "note: Column 'empty' has no values and is ignored."
    html = table._repr_html_()
    assert ">&lt;b&gt;</td>" in html
    assert "<b>" not in html


def test_the_variety_unit_and_date_are_shown():
    table = read(
        {
            "n": [3, 4, 5, 9],
            "x": ["1,5 kg", "2 kg", "3,25 kg", "4 kg"],
            "when": ["2024-03-01", "2024-03-02", "2024-03-03", "2024-04-05"],
            "flag": ["no", "yes", "no", "no"],
            "said": ["a b c d e", "f g h i j", "k l m n o", "p q r s t"],
        },
        levels={"said": "text"},
    )
    assert [table.column(name).variety for name in table.columns] == [
        "discrete", "continuous", "discrete", "binary", "",
    ]  # fmt: skip
    shown = repr(table)
    assert "1.5 kg" in shown
    assert "2024-03-01\n" in shown


def test_wide_tables_are_cut():
    table = Table.from_any({f"c{at}": [at] for at in range(50)})
    assert repr(table).endswith("… and 10 more columns")


def test_names_select_columns_and_an_order_is_a_text() -> None:
    """As in pandas; the order is written as on the command line, in memory and on disk."""
    table = vaglio.datasets.load("play")
    assert list(table[["windy", "outlook"]].columns) == ["windy", "outlook"]
    assert len(table[[1, 2]]) == 2
    rows = [{"grade": grade, "y": y} for grade, y in zip(["mid", "low", "high"], "aba")]
    read = vaglio.read(pd.DataFrame(rows), "y", levels={"grade": "low < mid<high"})
    assert read.column("grade").categories == ("low", "mid", "high")
    assert read.column("grade").level == "ordinal"
