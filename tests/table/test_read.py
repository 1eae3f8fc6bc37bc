"""The function read."""

from __future__ import annotations

import io

import pytest

from vaglio.errors import ColumnError, InputError, ReadError
from vaglio.table import as_table, read


def test_errors_of_columns_name_the_file(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    with pytest.raises(ReadError, match=r"t.csv: Column 'b' has 'y' in row 2, which is not in the given order"):
        read(tmp_path / "t.csv", levels={"b": ["x", "z"]})
    with pytest.raises(ColumnError, match=r"t.csv: There is no column 'c'"):
        read(tmp_path / "t.csv", target="c")
    (tmp_path / "t.jsonl").write_text('{"a": {"b": 1}}\n{"a": {"b": 2}}\n')
    with pytest.raises(
        ReadError, match=r"t.jsonl, line 1: Column 'a' holds {\"b\": 1}, which a table cell cannot hold"
    ):
        read(tmp_path / "t.jsonl")


def test_the_target_is_given_by_name_or_position():
    text = "a,b,class\n1,2,x\n3,4,y\n"
    assert read(io.StringIO(text), target=-1).target == "class"
    assert read(io.StringIO(text), target=0).target == "a"
    with pytest.raises(ColumnError, match="no column 'clas': did you mean 'class'"):
        read(io.StringIO(text), target="clas")


def test_as_table_reads_files_and_takes_frames(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    table = as_table(tmp_path / "t.csv")
    assert as_table(table) is table
    with open(tmp_path / "t.csv") as file:
        assert as_table(file) == table
    assert as_table({"a": ["1", "2"]}).column("a").kind == "nominal"  # by dtype, not by values


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": {"a": 5}},
        {"levels": {"a": None}},
        {"levels": {"a": [[1], [2]]}},
        {"levels": {"a": b"nominal"}},
        {"like": {"a": "bogus"}},
        {"like": {"a": 5}},
        {"roles": {"a": 5}},
        {"encoding": 5},
        {"delimiter": 5},
        {"limits": 5},
        {"limits": ["cells"]},
    ],
)
def test_arguments_that_do_not_fit_are_input_errors(wrong):
    with pytest.raises(InputError):
        read(io.BytesIO(b"a,b\n1,x\n2,y\n"), **wrong)
