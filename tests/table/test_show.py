"""A table on screen."""

from __future__ import annotations

from vaglio.table import Table, read


def test_text_and_html():
    table = read({"size": [1.5, None, 3.0], "<b>": ["x", "y", "x"], "empty": [None, None, None]}, target="<b>")
    lines = repr(table).splitlines()
    assert lines[0] == "Table of 3 rows and 3 columns"
    assert lines[1].split() == ["column", "kind", "level", "role", "missing", "distinct", "example"]
    assert lines[2].split() == ["size", "numeric", "ratio", "input", "33.3%", "2", "1.5"]
    assert lines[3].split() == ["<b>", "nominal", "nominal", "target", "-", "2", "x,", "y"]
    assert lines[-1] == "note: column 'empty' has no values and is ignored"
    html = table._repr_html_()
    assert ">&lt;b&gt;</td>" in html
    assert "<b>" not in html


def test_wide_tables_are_cut():
    table = Table.from_any({f"c{at}": [at] for at in range(50)})
    assert repr(table).endswith("… and 10 more columns")
