"""A table on screen."""

from __future__ import annotations

from vaglio.table import Table, read


def test_text_and_html():
    table = read({"size": [1.5, None, 3.0], "<b>": ["x", "y", "x"], "empty": [None, None, None]}, target="<b>")
    lines = repr(table).splitlines()
    assert lines[0] == "Table of 3 rows and 3 columns"
    assert lines[1].split() == ["column", "kind", "level", "values", "role", "missing", "distinct", "example"]
    assert lines[2].split() == ["size", "numeric", "ratio", "binary", "input", "33.3%", "2", "1.5"]
    assert lines[3].split() == ["<b>", "nominal", "nominal", "binary", "target", "-", "2", "x,", "y"]
    assert lines[-1] == "note: column 'empty' has no values and is ignored"
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
