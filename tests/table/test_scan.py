"""Tables that stay on disk."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

from vaglio import scan
from vaglio.errors import ColumnError, DataWarning, InputError, ReadError


@pytest.fixture
def folder(tmp_path):
    for at, name in enumerate(["b", "a", "c"]):
        rows = pd.DataFrame({"n": np.arange(3) + 10.0 * at, "word": [name] * 3, "day": pd.Timestamp("2024-01-02")})
        rows.to_parquet(tmp_path / f"{name}.parquet", row_group_size=2, index=False)
    (tmp_path / "_metadata").write_text("hidden")
    return tmp_path


def test_files_come_in_the_order_of_their_names(folder):
    expected = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    for source in (folder, f"{folder}/*.parquet", sorted(folder.glob("*.parquet"), reverse=True)):
        assert scan(source).read()["word"].tolist() == expected
    dataset = pyarrow.dataset.dataset([str(path) for path in folder.glob("*.parquet")])
    assert scan(dataset).read()["word"].tolist() == expected


def test_kinds_come_from_the_schema(folder):
    data = scan(folder)
    assert data.kinds == {"n": "numeric", "word": "nominal", "day": "date"}
    assert data.shape == (9, 3)
    assert "3 files" in repr(data)


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_chunks_have_at_most_so_many_rows_and_are_the_whole(folder, rows):
    chunks = list(scan(folder).chunks(rows))
    assert max(map(len, chunks)) <= rows
    assert np.concatenate([chunk["n"] for chunk in chunks]).tolist() == scan(folder).read()["n"].tolist()
    assert len(scan(folder).head(4)) == 4


def test_csv_and_json_lines_are_typed_by_their_first_rows(tmp_path):
    (tmp_path / "a.csv").write_text("n,word\n1.5,x\n2.5,y\n")
    (tmp_path / "b.csv").write_text("n,word\n3,z\n,x\n")
    data = scan(tmp_path)
    assert data.kinds == {"n": "numeric", "word": "nominal"}
    table = data.read()
    assert table["word"].tolist() == ["x", "y", "z", "x"]
    assert np.isnan(table["n"][3])
    lines = tmp_path / "rows.jsonl"
    lines.write_text("\n".join(json.dumps({"n": at, "word": "x"}) for at in range(3)))
    assert scan(lines).read()["n"].tolist() == [0, 1, 2]
    semicolons = tmp_path / "other.txt"
    semicolons.write_text("n;m\n1,5;2\n2,5;3\n")
    assert scan(semicolons, delimiter=";", decimal=",").read()["n"].tolist() == [1.5, 2.5]


def test_a_word_among_numbers_is_named_by_file_and_row(tmp_path):
    (tmp_path / "a.csv").write_text("n,word\n" + "1,x\n" * 9)
    (tmp_path / "b.csv").write_text("n,word\n" + "oops,x\n" * 9)
    with pytest.raises(ReadError, match=r"b\.csv, row 1, column 'n': 'oops'"):
        scan(tmp_path).read()


@pytest.mark.slow
def test_columns_are_chosen_by_name(folder):
    data = scan(folder)
    X, y = data.xy("word")
    assert X.columns == ["n", "day"]
    assert y.name == "word"
    assert data.select(["day"]).columns == ["day"]
    with pytest.raises(ColumnError, match="did you mean 'word'"):
        data.xy("wrd")
    with pytest.raises(InputError, match="only column"):
        data.select(["n"]).xy("n")


def test_sources_that_cannot_be_scanned(tmp_path, folder):
    with pytest.raises(ReadError, match="There is no file"):
        scan(tmp_path / "nothing.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(ReadError, match="cannot be read as Parquet"):
        scan(tmp_path / "bad.parquet")
    with pytest.raises(InputError, match="is Parquet"):
        scan(folder / "a.parquet", delimiter=";")
    with pytest.raises(InputError, match="at least one row"):
        scan(folder, part_rows=0)
    with pytest.raises(InputError, match="at least one row"):
        scan(folder / "a.parquet").sample(0)


@pytest.fixture
def years(tmp_path):
    """Two files in folders that name a column."""
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        rows = pd.DataFrame({"n": [1.0, 2.0], "w": ["a", "b"]})
        rows.to_parquet(tmp_path / f"year={year}" / "rows.parquet", index=False)
    return tmp_path


def test_a_dataset_has_the_columns_of_its_schema_and_all_rows(years):
    import pyarrow as pa
    from pyarrow import dataset

    files = [str(each) for each in sorted(years.rglob("*.parquet"))]
    data = scan(dataset.dataset(files, schema=pa.schema([("w", pa.string())])))
    assert data.columns == ["w"]
    assert data.read()["w"].tolist() == ["a", "b", "a", "b"]


def test_datasets_that_are_not_the_rows_of_their_files_are_refused(years):
    import pyarrow as pa
    from pyarrow import dataset

    rows = dataset.dataset(str(years / "year=2020"))
    for other, said in (
        (rows.filter(dataset.field("n") > 1), "has a filter"),
        (dataset.dataset(str(years), partitioning="hive"), "folder names"),
        (dataset.dataset(pa.table({"n": [1]})), "without local files"),
        (dataset.dataset([rows, rows]), "without local files"),
    ):
        with pytest.raises(InputError, match=said):
            scan(other)


def test_folders_that_name_a_column_are_said(years):
    with pytest.warns(DataWarning, match="folder names give 'year'"):
        assert scan(years).columns == ["n", "w"]
