"""Where a table comes from, and its format."""

from __future__ import annotations

import zipfile

import pytest

from vaglio.errors import InputError, ReadError
from vaglio.table import read

from .frames import FRAME


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


def test_open_files_and_paths_give_the_same_table(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with open(tmp_path / "t.csv") as text, open(tmp_path / "t.csv", "rb") as raw:
        assert read(text) == read(raw) == read(str(tmp_path / "t.csv"))
