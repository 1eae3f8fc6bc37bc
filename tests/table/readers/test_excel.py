"""Spreadsheets."""

from __future__ import annotations

import sys

import openpyxl
import pytest

from vaglio.errors import MissingDependencyError, ReadError
from vaglio.table import read

from .frames import check


def test_sheets_are_read_by_name_and_position(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["n", "k", "w", "c"])
    for row in [[1.5, 3, "x", "lo"], [2.5, 4, "y", "hi"], [None, 3, None, "lo"]]:
        book.active.append(row)
    second = book.create_sheet("second")
    second.append(["a"])
    second.append([7])
    book.save(tmp_path / "t.xlsx")
    check(read(tmp_path / "t.xlsx"))
    assert read(tmp_path / "t.xlsx", sheet="second")["a"].tolist() == [7]
    with pytest.raises(ReadError, match="no sheet 'third'; it has 'Sheet' and 'second'"):
        read(tmp_path / "t.xlsx", sheet="third")


def test_a_missing_reader_of_spreadsheets_is_named(tmp_path, monkeypatch):
    openpyxl.Workbook().save(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'vaglio\[excel\]'"):
        read(tmp_path / "t.xlsx")


def test_a_damaged_spreadsheet_is_an_error(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 xl/ and nothing more")
    with pytest.raises(ReadError, match="cannot be read as a spreadsheet"):
        read(tmp_path / "t.xlsx")
