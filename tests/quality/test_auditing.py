"""An audit as a whole, in each of its forms."""

from __future__ import annotations

import json

import numpy as np

import vaglio
from vaglio.table import Column, Table

from .checks.findings import kinds, numbers


def test_a_clean_table_has_nothing_worse_than_outliers():
    table = Table.from_any(numbers(y=np.tile(["p", "q"], 150)))
    assert kinds(vaglio.audit(table, "y")) <= {"outliers"}


def test_every_form_shows_the_findings():
    table = Table.from_any(numbers(60, c=["x"] * 60, y=np.tile(["<b>", "q"], 30)))
    found = vaglio.audit(table, "y")
    assert "Audit of 60 rows and 4 columns" in repr(found)
    assert "<b>" not in found._repr_html_()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["findings"][0]["kind"] == found.findings[0].kind
    assert len(found.about("c")) == 1
    assert len(found) == len(list(found))
    assert {row["column"] for row in found.statistics()} == {"a", "b", "c", "y"}


def test_any_frame_and_any_number_of_threads():
    frame = Table.from_any(numbers(50, y=np.tile(["p", "q"], 25))).to_frame()
    one, two = (vaglio.audit(frame, "y", n_jobs=n) for n in (1, 2))
    assert repr(one) == repr(two)
    empty = vaglio.audit(Table([Column.numeric("v", [])]))
    assert len(empty.table) == 0
