"""What stands around a table is left out and said; a damaged table is still an error."""

from __future__ import annotations

import io

import openpyxl
import pytest

from vaglio.errors import ReadError
from vaglio.table import read

BODY = "".join(f"{['nord', 'sud', 'centro'][at % 3]};{at};{at * 7}\n" for at in range(12))


def _read(text: str, **options):
    return read(io.BytesIO(text.encode()), **options)


@pytest.mark.parametrize(
    "above",
    ["Vendite 2023\n", "Vendite 2023;;\n", "Vendite 2023\n\n\nfonte interna\n", "# made by hand\n", "\n\nVendite;;\n"],
)
def test_a_title_is_left_out(above):
    table = _read(f"{above}zona;a;b\n{BODY}")
    assert table.columns == ("zona", "a", "b")
    assert len(table) == 12
    assert any("above the column names" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    ("below", "left_out"),
    [
        ("Totale;66;462\n", "'Totale'"),
        ("Summe;;462\n\nQuelle: Amt für Statistik\n", "'Summe' and 'Quelle: Amt für Statistik'"),
        ("\n* dati provvisori\n", "'* dati provvisori'"),
        ("Fonte: ISTAT, censimento;;\n", "'Fonte: ISTAT, censimento'"),
        ("\nall figures in thousands of euros", "'all figures in thousands of euros'"),
        (";;\n;;\n", "2 empty rows"),
    ],
)
def test_notes_and_totals_are_left_out(below, left_out):
    table = _read(f"zona;a;b\n{BODY}{below}")
    assert len(table) == 12
    assert table.column("a").kind == table.column("b").kind == "numeric"
    assert any(left_out in remark for remark in table.remarks)


@pytest.mark.parametrize("below", ["nord;3\n", "nord\n", "5\n", "nord;1;2;3\n"])
def test_a_row_that_was_cut_short_is_an_error(below):
    with pytest.raises(ReadError, match=r"row 13 \(line 14\)"):
        _read(f"zona;a;b\n{BODY}{below}")


def test_a_second_line_of_names():
    table = _read(f"zona;2021;\n;entrate;uscite\n{BODY}")
    assert table.columns == ("zona", "2021 entrate", "2021 uscite")
    table = _read(f"zona;peso;altezza\n;[kg];(cm)\n{BODY}")
    assert table.columns == ("zona", "peso", "altezza")
    assert [table.column(name).unit for name in table.columns] == ["", "kg", "cm"]
    assert any("second line" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        (f"zona;2022;2023\n{BODY}", ("zona", "2022", "2023"), 12),
        ("nome;eta\nAnna;n.d.\nBea;45\nCarla;46\n", ("nome", "eta"), 3),
        (",kind\nr1,x\nr2,y\nr3,x\n", ("column_1", "kind"), 3),
        ("a;b\nx;y\ny;x\n", ("a", "b"), 2),
        ("id;a;b\n1;5;x\n2;;\n", ("id", "a", "b"), 2),
    ],
)
def test_ordinary_tables_are_left_alone(text, names, rows):
    table = _read(text)
    assert (table.columns, len(table)) == (names, rows)


def test_the_delimiter_line_and_text_cells_of_excel():
    table = _read('sep=;\r\ncode;x\r\n="007";1,5\r\n="008";2,5\r\n="007";3,5\r\n')
    assert table["code"].tolist() == ["007", "008", "007"]
    assert table["x"].tolist() == [1.5, 2.5, 3.5]


def test_sheets_have_titles_and_notes_too(tmp_path):
    book = openpyxl.Workbook()
    for row in [["Vendite 2023"], [], ["zona", "a", "b"], *([["nord", "sud"][i % 2], i, f"{i},5"] for i in range(12))]:
        book.active.append(row)
    book.active.append(["Totale", 66, None])
    book.active.append(["Fonte: ufficio studi"])
    book.save(tmp_path / "t.xlsx")
    table = read(tmp_path / "t.xlsx")
    assert table.columns == ("zona", "a", "b")
    assert table["b"].tolist() == [i + 0.5 for i in range(12)]
    assert any("above the column names" in remark for remark in table.remarks)
    assert any("'Totale' and 'Fonte: ufficio studi'" in remark for remark in table.remarks)
