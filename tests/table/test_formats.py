"""Other files: Parquet, Feather, Arrow, JSON, Excel, baskets; each recognised by its content."""

from __future__ import annotations

import io
import json
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from vaglio.errors import ColumnError, InputError, MissingDependencyError, ReadError
from vaglio.table import Table, read

FRAME = pd.DataFrame(
    {
        "n": [1.5, 2.5, None],
        "k": [3, 4, 3],
        "w": ["x", "y", None],
        "c": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
    }
)


def _check(table: Table) -> None:
    assert table.shape == (3, 4)
    assert np.array_equal(table["n"], [1.5, 2.5, np.nan], equal_nan=True)
    assert table["k"].tolist() == [3, 4, 3]
    assert table["w"].tolist() == ["x", "y", None]
    assert table["c"].tolist() == ["lo", "hi", "lo"]


def test_parquet(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    table = read(tmp_path / "t.parquet")
    _check(table)
    assert table.column("c").categories == ("lo", "mid", "hi")
    assert table.column("c").level == "ordinal"


def test_feather_and_arrow(tmp_path):
    arrow = pa.Table.from_pandas(FRAME)
    feather.write_feather(arrow, tmp_path / "t.feather")
    with ipc.new_stream(tmp_path / "s.arrow", arrow.schema) as out:
        out.write_table(arrow)
    _check(read(tmp_path / "t.feather"))
    _check(read(tmp_path / "s.arrow"))


@pytest.mark.parametrize("orient", ["lines", "array", "columns"])
def test_json(tmp_path, orient):
    rows = json.loads(FRAME.to_json(orient="records"))
    if orient == "lines":
        text = "\n".join(map(json.dumps, rows))
    elif orient == "array":
        text = json.dumps(rows, indent=1)
    else:
        text = json.dumps({name: [row[name] for row in rows] for name in rows[0]}, indent=1)
    path = tmp_path / "t.json"
    path.write_text(text)
    _check(read(path))


def test_excel(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["n", "k", "w", "c"])
    for row in [[1.5, 3, "x", "lo"], [2.5, 4, "y", "hi"], [None, 3, None, "lo"]]:
        book.active.append(row)
    second = book.create_sheet("second")
    second.append(["a"])
    second.append([7])
    book.save(tmp_path / "t.xlsx")
    _check(read(tmp_path / "t.xlsx"))
    assert read(tmp_path / "t.xlsx", sheet="second")["a"].tolist() == [7]
    with pytest.raises(ReadError, match="no sheet 'third'; it has 'Sheet' and 'second'"):
        read(tmp_path / "t.xlsx", sheet="third")


def test_excel_without_its_reader(tmp_path, monkeypatch):
    openpyxl.Workbook().save(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'vaglio\[excel\]'"):
        read(tmp_path / "t.xlsx")


def test_files_that_are_not_what_their_name_says(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(
        ReadError, match=r"t.parquet is named as Parquet but holds CSV text: rename it, or say format='csv'"
    ):
        read(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", format="csv").shape == (1, 2)
    FRAME.to_parquet(tmp_path / "t.csv")
    with pytest.raises(ReadError, match=r"t.csv is named as CSV text but holds Parquet"):
        read(tmp_path / "t.csv")
    (tmp_path / "a.arff").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"named as ARFF but holds CSV text"):
        read(tmp_path / "a.arff")


def test_damaged_files(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match="Parquet but damaged or cut short"):
        read(tmp_path / "t.parquet")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 xl/ and nothing more")
    with pytest.raises(ReadError, match="cannot be read as a spreadsheet"):
        read(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n{"a": }\n', "line 2: not valid JSON"),
        ('{"a": 1}\n{"a": "x"}\n', "column 'a' mixes types: row 1 has a number"),
        ('{"a": 1}\n[2]\n', "line 2: .* is not a JSON object"),
        ('[{"a": 1},\n {"a"}]', "line 2: not valid JSON"),
        ("[]", "has no rows"),
    ],
)
def test_bad_json(text, said):
    with pytest.raises(ReadError, match=said):
        read(io.StringIO(text))


def test_paths_that_cannot_be_read(tmp_path):
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"no file .*trian.csv: check the path \(did you mean train.csv"):
        read(tmp_path / "trian.csv")
    with pytest.raises(ReadError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(InputError, match="format is csv, parquet"):
        read(tmp_path / "train.csv", format="xml")


def test_zip_archives_are_not_taken_for_spreadsheets(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as out:
        out.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(ReadError, match="holds a zip archive, not a table: unpack it first"):
        read(tmp_path / "t.zip")


def test_errors_of_columns_name_the_file(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    with pytest.raises(ReadError, match=r"t.csv: column 'b', row 2: 'y' is not in the given order"):
        read(tmp_path / "t.csv", levels={"b": ["x", "z"]})
    with pytest.raises(ColumnError, match=r"t.csv: there is no column 'c'"):
        read(tmp_path / "t.csv", target="c")
    (tmp_path / "t.jsonl").write_text('{"a": {"b": 1}}\n{"a": {"b": 2}}\n')
    with pytest.raises(ReadError, match=r"t.jsonl: column 'a' holds struct"):
        read(tmp_path / "t.jsonl")


def test_open_files_and_strings(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with open(tmp_path / "t.csv") as text, open(tmp_path / "t.csv", "rb") as raw:
        assert read(text) == read(raw) == read(str(tmp_path / "t.csv"))


@pytest.mark.parametrize(
    "text",
    [
        "milk,bread\nbread\nbeer,milk,bread\n",
        "T1,milk,bread\nT2,bread\nT3,beer,milk,bread\n",
        "id,item\n1,milk\n1,bread\n2,bread\n3,beer\n3,milk\n3,bread\n",
        "milk bread\nbread\nbeer milk bread milk\n",
    ],
)
def test_transactions(text):
    table = read(io.StringIO(text), kind="transactions")
    block = table.sparse
    assert block.names == ("beer", "bread", "milk")
    assert block.matrix.toarray().tolist() == [[0, 1, 1], [0, 1, 0], [1, 1, 1]]
    beer = table.column("beer")
    assert (beer.kind, beer.asymmetric, beer.categories) == ("nominal", True, (False, True))
    if "id" in table:
        assert table.column("id").role == "identifier"


def test_an_item_may_be_the_target():
    table = read(io.StringIO("milk,bread\nbread\nbeer,milk,bread\n"), kind="transactions", target="beer")
    X, y = table.xy()
    assert X.columns == ("bread", "milk")
    assert X.sparse is not None
    assert y.tolist() == [False, False, True]


def test_target_by_name_or_position():
    text = "a,b,class\n1,2,x\n3,4,y\n"
    assert read(io.StringIO(text), target=-1).target == "class"
    assert read(io.StringIO(text), target=0).target == "a"
    with pytest.raises(ColumnError, match="no column 'clas'; did you mean 'class'"):
        read(io.StringIO(text), target="clas")
