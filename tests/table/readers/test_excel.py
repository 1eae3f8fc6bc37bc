"""Spreadsheets."""

from __future__ import annotations

import io
import sys
import zipfile

import openpyxl
import pytest

from vaglio.errors import MissingDependencyError, ReadError
from vaglio.table import read

from .frames import check
from .test_capacity import workbook


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
    with pytest.raises(ReadError, match="no sheet 'third': it has 'Sheet' and 'second'"):
        read(tmp_path / "t.xlsx", sheet="third")


def test_a_missing_reader_of_spreadsheets_is_named(tmp_path, monkeypatch):
    openpyxl.Workbook().save(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingDependencyError, match=r"pip install .*\[excel\]'"):
        read(tmp_path / "t.xlsx")


def test_a_damaged_spreadsheet_is_an_error(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 xl/ and nothing more")
    with pytest.raises(ReadError, match=r"cannot be read as a spreadsheet|is a spreadsheet but damaged"):
        read(tmp_path / "t.xlsx")


def test_a_sheet_with_two_far_cells_is_refused_before_its_cells_are_asked_for():
    """Its 549 gigabytes of cells ended the process."""
    for cells in (
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "<row r='1'><c r='A1'><v>1</v></c><c x='>' r='XFD1048576'><v>1</v></c></row>",
        '<row><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
    ):
        with pytest.raises(ReadError, match="17,179,869,184 cells, more than the limit cells"):
            read(io.BytesIO(workbook(cells)))


def test_a_far_corner_alone_is_a_small_table():
    cells = (
        '<row r="1048575"><c r="XFC1048575" t="inlineStr"><is><t>a</t></is></c></row>'
        '<row r="1048576"><c r="XFC1048576"><v>1</v></c></row>'
    )
    assert read(io.BytesIO(workbook(cells)))["a"].tolist() == [1]


def test_cells_without_a_place_follow_each_other():
    cells = "<row><c t='s'><v>0</v></c><c t='s'><v>1</v></c></row>" + "<row><c><v>1</v></c><c><v>2</v></c></row>" * 3
    table = read(io.BytesIO(workbook(cells, "<si><t>a</t></si><si><t>b</t></si>")))
    assert table["b"].tolist() == [2, 2, 2]


def open_document(repeated: int) -> bytes:
    """A sheet of the OpenDocument format, whose last cell stands a number of times."""
    names = 'xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:'
    names += 'table:1.0" xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    cell = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'
    head = "".join(cell.format("", word) for word in "ab")
    body = cell.format("", "x") + cell.format(f' table:number-columns-repeated="{repeated}"', "y")
    text = (
        f'<?xml version="1.0"?><office:document-content {names}><office:body><office:spreadsheet><table:table '
        f'table:name="s"><table:table-row>{head}</table:table-row><table:table-row table:number-rows-repeated='
        f'"{repeated}">{body}</table:table-row></table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", text)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return out.getvalue()


@pytest.mark.slow
def test_formats_whose_sizes_cannot_be_checked_are_read_by_a_process_of_their_own():
    assert read(io.BytesIO(open_document(1)))["b"].tolist() == ["y"]
    with pytest.raises(ReadError, match="no sheet 'q': it has 's'"):
        read(io.BytesIO(open_document(1)), sheet="q")
    with pytest.raises(ReadError, match="is damaged, or needs more memory to be unpacked, more than the limit bytes"):
        read(io.BytesIO(open_document(8000)), limits={"bytes": 100_000_000})
    with pytest.raises(ReadError, match="cannot be read as a spreadsheet"):
        read(io.BytesIO(open_document(1)[:500]), format="excel")
