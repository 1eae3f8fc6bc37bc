"""An audit as a whole, in each of its forms."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd

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


def test_wrong_cells_are_named_and_no_table_is_refused():
    cells = [f"{at},5" for at in range(60)]
    text = "x;y\n" + "\n".join(f"{cell};{'pq'[at % 2]}" for at, cell in enumerate([*cells, "12,5O"])) + "\n"
    found = vaglio.audit(io.StringIO(text), "y")
    (finding,) = found.of_kind("wrong-values")
    assert (finding.rows.tolist(), finding.n_rows, finding.columns) == ([60], 1, ("x",))
    assert "'12,5O' in row 61" in finding.message
    infinite = vaglio.audit({"x": [1.0, np.inf, 3, 4], "y": list("abab")}, "y")
    assert "'inf' in row 2" in infinite.of_kind("wrong-values")[0].message


def test_a_target_that_is_none_is_a_finding():
    measure = np.random.default_rng(0).normal(size=50)
    found = vaglio.audit({"x": measure, "y": measure * 2}, "y", task="classification")
    assert found.target is None
    assert "continuous" in found.of_kind("no-target")[0].message
    empty = vaglio.audit({"x": measure, "y": [None] * 50}, "y")
    assert "No row has a value" in empty.of_kind("no-target")[0].message


def test_a_table_that_was_read_has_the_identifiers_of_its_frame(tmp_path):
    """Over formats, and by dtypes alone; those that reading has left out are for information."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "row": np.arange(1, 201),
            "customer_id": rng.permutation(10**6)[:200],
            "zip": rng.permutation(90_000)[:200] + 10_000,
            "hash": [f"{at:x}f" for at in rng.permutation(10**6)[:200]],
            "long": 2**60 + rng.permutation(200),
            "weight": rng.integers(0, 10**6, 200),
            "group": rng.choice(["a", "b"], 200),
            "y": rng.choice(["p", "q"], 200),
        }
    )
    names = {"row", "customer_id", "zip", "hash", "long"}
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for source in (frame, *sorted(tmp_path.iterdir())):
        table = source if source is frame else vaglio.read(source, "y")
        found = vaglio.audit(table, "y").of_kind("identifier")
        assert {finding.columns[0] for finding in found} == names, source
        for finding in found:
            declared = source is not frame and table.column(finding.columns[0]).role == "identifier"
            assert finding.severity == ("low" if declared else "high")
    log = vaglio.audit(vaglio.read(tmp_path / "t.csv", "y")).clean().log
    assert [line for line in log if "'row'" in line] == []


def test_accuracy_misleads_only_if_one_class_has_most_rows():
    many = [f"k{at % 19}" for at in range(19 * 30)] + ["k0"] * 60 + ["rare"] * 12
    few = ["a"] * 300 + ["b"] * 40
    for labels, misleads in ((many, False), (few, True)):
        table = vaglio.Table.from_any({"x": np.arange(len(labels)) % 7, "y": labels})
        (finding,) = vaglio.audit(table, "y").of_kind("imbalance")
        assert ("misleading" in finding.advice) is misleads
