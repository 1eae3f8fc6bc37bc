"""`predict` writes as many rows as it was given, in whatever format they come and whatever they look like."""

from __future__ import annotations

import bz2
import csv
import html
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio import read

Rows = list[list[str]]
NAMES = ["place", "people", "note"]
# What looks like a total, a note, a name again or no row at all.
ROWS: Rows = [
    ["Rome", "2,5", "a"],
    ["Bosnia and Herzegovina", "", ""],
    ["Total", "1", ""],
    ["place", "", "note"],
    ["* provisional", "", ""],
    ["Source: office of statistics", "", ""],
    ["Note: without the islands", "", ""],
    ["", "", "a"],
    ["a sentence of more than three words", "", ""],
    ["Total", "3,5", ""],
]


def _text(delimiter: str) -> Callable[[Rows], bytes]:
    def written(rows: Rows) -> bytes:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([NAMES, *rows])
        return out.getvalue().encode()

    return written


def _sheet(rows: Rows) -> bytes:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in [NAMES, *rows]:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _page(rows: Rows) -> bytes:
    lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in [NAMES, *rows]]
    return f"<html><table><tr>{'</tr><tr>'.join(lines)}</tr></table></html>".encode()


def _arff(rows: Rows) -> bytes:
    cells = [",".join("?" if not cell else "'" + cell + "'" for cell in row) for row in rows]
    return "\n".join(["@relation r", *(f"@attribute {name} string" for name in NAMES), "@data", *cells]).encode()


def _arrow(write: Callable[[pa.Table, io.BytesIO], None]) -> Callable[[Rows], bytes]:
    def written(rows: Rows) -> bytes:
        out = io.BytesIO()
        write(pa.table({name: [row[at] for row in rows] for at, name in enumerate(NAMES)}), out)
        return out.getvalue()

    return written


def _dicts(rows: Rows) -> list[dict[str, str]]:
    return [dict(zip(NAMES, row)) for row in rows]


FORMATS: dict[str, Callable[[Rows], bytes]] = {
    "csv": _text(";"),
    "tsv": _text("\t"),
    "csv.bz2": lambda rows: bz2.compress(_text(";")(rows)),
    "json": lambda rows: json.dumps(_dicts(rows)).encode(),
    "jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in _dicts(rows)).encode(),
    "parquet": _arrow(pyarrow.parquet.write_table),
    "feather": _arrow(pyarrow.feather.write_feather),
    "arff": _arff,
    "xlsx": _sheet,
    "html": _page,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    cells = [["Rome", "1,5", "a", "yes"], ["Milan", "2,5", "b", "no"], ["Turin", "1.234,5", "a", "yes"]] * 8
    (folder / "train.csv").write_text("\n".join(map(";".join, [[*NAMES, "sold"], *cells])))
    told = run_here("train", folder / "train.csv", "--target", "sold", "--learner", "c45", "--out", folder / "m.vaglio")
    assert told.code == 0
    return folder / "m.vaglio"


def _predicted(rows: Rows, out: Path) -> None:
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["place"] or "" for row in written] == [row[0] for row in rows]
    assert all(row["predicted"] in ("yes", "no") for row in written)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", FORMATS)
def test_predict_writes_as_many_rows_as_it_was_given(ending, model, tmp_path, monkeypatch):
    file, out = tmp_path / f"rows.{ending}", tmp_path / "out.jsonl"
    for rows in (ROWS, ROWS[:1], ROWS[1:3], ROWS[-1:], ROWS[-3:]):
        file.write_bytes(FORMATS[ending](rows))
        assert run_here("predict", model, file, "--out", out).code == 0
        _predicted(rows, out)
    if ending in ("csv", "tsv", "csv.bz2", "json", "jsonl"):
        with file.open("rb") as rows_in:
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=rows_in, isatty=lambda: False))
            assert run_here("predict", model, "-", "--out", out).code == 0
        _predicted(ROWS[-3:], out)
    if ending in ("csv", "tsv", "parquet"):
        assert run_here("predict", model, file, "--out", out, "--memory", "4GB").code == 0
        _predicted(ROWS[-3:], out)


def test_predictions_of_frames_have_as_many_rows(model):
    fitted = vaglio.load(model)
    frame = pd.DataFrame(ROWS, columns=NAMES)
    cluster = dd.from_pandas(frame, npartitions=3)
    assert len(fitted.predict(frame)) == len(fitted.predict(cluster).compute()) == len(ROWS)


def test_tables_of_one_column_lose_no_row():
    lines = ["review", *(f"a note of {n} words and more" for n in range(40)), "Total", "* nothing"]
    formats = vaglio.Table.from_any({"review": lines}).cell_formats
    assert len(read(io.StringIO("\n".join(lines)), like=formats, header=True)) == len(lines) - 1
