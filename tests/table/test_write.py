"""What is written is read back; a file appears whole or not at all."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from vaglio.errors import InputError
from vaglio.table import Table, TableWriter, read, write

FRAME = {"n": [1.5, None, 3.0], "k": [1, 2, 3], "w": ["plain", 'with "quotes", and\nlines', None]}


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.feather", "t.jsonl", "t.csv.gz", "t.jsonl.gz"])
def test_round_trip(tmp_path, name):
    table = Table.from_any(FRAME)
    write(table, tmp_path / name)
    back = read(tmp_path / name, levels={"w": "nominal"}, roles={"k": "input"})
    assert back == table
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.jsonl"])
def test_chunks_make_one_file(tmp_path, name):
    table = Table.from_any(FRAME)
    with TableWriter(tmp_path / name) as out:
        for at in range(3):
            out.write(table[at])
    assert read(tmp_path / name, levels={"w": "nominal"}, roles={"k": "input"}) == table


def test_plain_words_are_not_quoted(capfdbinary):
    write(pd.DataFrame({"a": ["x", None], "b": [1, 2]}), "-")
    assert capfdbinary.readouterr().out == b"a,b\nx,1\n,2\n"


def test_nothing_is_left_behind_on_failure(tmp_path):
    (tmp_path / "t.csv").write_text("old")

    def fail():
        with TableWriter(tmp_path / "t.csv") as out:
            out.write(FRAME)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert os.listdir(tmp_path) == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == "old"


def test_bad_targets(tmp_path):
    with pytest.raises(InputError, match="extension does not name a format"):
        write(FRAME, tmp_path / "t.doc")
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        write(FRAME, tmp_path / "nowhere" / "t.csv")
    with pytest.raises(InputError, match="not as 'xml'"):
        write(FRAME, tmp_path / "t.xml", format="xml")
    with TableWriter(tmp_path / "t.csv") as out:
        out.write(FRAME)
        with pytest.raises(InputError, match="have the columns"):
            out.write({"other": [1]})


def test_further_columns_come_last_and_under_a_name_that_is_free(tmp_path):
    with TableWriter(tmp_path / "t.csv") as out:
        out.write(Table.from_any({"a": [1, 2], "b": [3, 4]}), {"b": [5, 6], "c": ["x", "y"]})
    assert (tmp_path / "t.csv").read_text() == "a,b,b_2,c\n1,3,5,x\n2,4,6,y\n"
