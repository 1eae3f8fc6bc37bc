"""What stands around a table is left out and said; a damaged table is still an error."""

from __future__ import annotations

import csv
import io
from random import Random

import openpyxl
import pytest

from vaglio.errors import ColumnError, ReadError
from vaglio.table import read, read_chunks

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


def _sheet(rows) -> io.BytesIO:
    out, book = io.BytesIO(), openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(out)
    out.seek(0)
    return out


def _delimited(rows) -> io.BytesIO:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["" if cell is None else cell for cell in row] for row in rows])
    return io.BytesIO(out.getvalue().encode())


# Last rows that are rows, however much they look like a note, a total or nothing.
SENTENCES = [f"A sentence about the film number {at}" for at in range(50)]
LAST_ROWS = {
    "a column of sentences": [["review"], *([each] for each in SENTENCES)],
    "a column of notes": [["remark"], *([f"Note: {each}"] for each in SENTENCES)],
    "unlabelled reviews": [
        ["review", "label"],
        *([each, "ab"[at % 2] if at < 40 else None] for at, each in enumerate(SENTENCES)),
    ],
    "a country without figures": [
        ["country", "a", "b"],
        *([f"Land {at}", at, at % 7] for at in range(20)),
        ["Bosnia and Herzegovina", None, None],
    ],
    "a company called Total": [
        ["company", "staff", "kind"],
        *([f"Firm {at}", 3 * at, "xy"[at % 2]] for at in range(20)),
        ["Total", 41, "x"],
        ["Total", 7, None],
    ],
    "a total of a part": [["shop", "sold"], *([f"shop {at}", 3 * at] for at in range(20)), ["Total", 41]],
}


@pytest.mark.parametrize("name", LAST_ROWS)
def test_last_rows_are_kept(name):
    rows = LAST_ROWS[name]
    for make in (_delimited, _sheet):
        assert len(read(make(rows), format="excel" if make is _sheet else None)) == len(rows) - 1
    assert sum(map(len, read_chunks(_delimited(rows), rows=7))) == len(rows) - 1


def _with_something_below(random: Random) -> list[list[object]]:
    """Return rows with a few more below that may be no rows."""
    width = random.randrange(2, 5)
    rows = [[f"name {at}" for at in range(width)]]
    rows += [
        [random.choice(["nord", "sud", "Total"]), *(random.randrange(99) for _ in range(width - 1))] for _ in range(9)
    ]
    sums = [sum(row[at] for row in rows[1:]) for at in range(1, width)]
    for _ in range(random.randrange(1, 4)):
        below = random.choice(
            [["Total", *sums], ["Fonte: ISTAT"], [None], ["* x"], ["two words"], [None] * width, ["nord"]]
        )
        rows.append([*below, *[None] * (width - len(below))])
    return rows


@pytest.mark.slow
def test_no_row_for_a_model_is_left_out():
    """With a field for every column a line is a row, whatever it says; a sheet has no row without a value."""
    for seed in range(40):
        rows = _with_something_below(Random(seed))
        like = {"name 1": "nominal"}
        assert len(read(_delimited(rows), like=like)) == len(rows) - 1, rows
        assert len(read(_delimited(rows), footer=False)) == len(rows) - 1, rows
        chunks = read_chunks(_delimited(rows), rows=4, like=[("name 1", "nominal")], footer=False)
        assert sum(map(len, chunks)) == len(rows) - 1, rows
        filled = sum(any(cell is not None for cell in row) for row in rows[1:])
        assert len(read(_sheet(rows), like=like, format="excel")) == filled, rows


def test_a_total_is_left_out_only_if_it_adds_up():
    def rows(**last):
        return len(_read("zona;a;b\n" + "".join(f"z{at};{at},5;{at}\n" for at in range(12)) + last["last"]))

    assert rows(last="Totale;72,0;66\n") == rows(last="Media;6,0;5,5\n") == rows(last="Totale;;66\n") == 12
    assert rows(last="Totale;72,0;66\nMedia;6,0;5,5\n") == rows(last="\nTotale;1;1\n") == 12
    assert rows(last="Totale;71,0;67\n") == rows(last="Totale;72,0;alto\n") == rows(last="Totale;;\n") == 13


def test_many_empty_rows_are_left_out():
    table = _read(f"zona;a;b\n{BODY}" + ";;\n" * 912)
    assert len(table) == 12
    assert "912 empty rows at the end are left out." in table.remarks


def test_a_cell_of_blanks_is_no_value_of_a_sheet():
    rows = [["a", "b"], [1, "x"], [2, "y"], [" ", None], ["  ", None], ["a note of some words", None]]
    assert len(read(_sheet(rows), format="excel")) == 3
    assert (
        len(
            read(
                _sheet([["a", "b", "c"], [1, "x", 2], [2, "y", 3], [" ", None, None], ["a note of some words"]]),
                format="excel",
            )
        )
        == 2
    )


@pytest.mark.parametrize("blank", [[], [None], [None, None, None], [" "], [" ", " ", " "]])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_blank_rows_above_a_note_of_a_sheet_are_no_rows(blank, n):
    rows = [["a", "b", "c"], [1, "x", 2], [2, "y", 3], *[blank] * n, ["a note of some words"]]
    table = read(_sheet(rows), format="excel")
    assert table["a"].tolist() == [1, 2]
    assert any("'a note of some words'" in remark for remark in table.remarks)


HEADINGS = [
    # pandas' to_csv() of an array, and with names that are years
    ([[None, 0, 1, 2], *([at, at / 2, at * 3, 7] for at in range(9))], "column_1 0 1 2"),
    ([[None, "a", "b"], *([f"r{at}", at / 2, at * 3] for at in range(9))], "column_1 a b"),
    ([["continent", 1952, 1957, 1962], *([f"C{at}", at * 10, 30.5, 9] for at in range(9))], "continent 1952 1957 1962"),
    ([["district", 2022], *([f"D{at}", 300 + at] for at in range(9))], "district 2022"),
    ([["before", "1 week", "2 weeks"], *([at + 0.5, at / 2, at * 3] for at in range(9))], "before 1 week 2 weeks"),
    # a table of results, one column per repetition
    (
        [["Rounds:", 0, 1, 2, 3], *([f"T{at}", at / 8, 0.5, 0.2, 1 / (at + 2)] for at in range(9))],
        "Rounds: 0 1 2 3",
    ),
    # a cross table of two measured things, and rows of numbers that lack the first
    (
        [[None, 142.24, 144.78, 147.32], *([9.4 + at / 10, at % 3, at % 2, 4 - at % 3] for at in range(9))],
        "column_1 142.24 144.78 147.32",
    ),
    ([[None, 16.5, 17.5, 18.5], *([at, 16.5 + at, 18.5 + at, 20 + at] for at in range(9))], None),
    ([[None, 3.5, 1.5, 2.5], *([at + 0.5, at, 2, 3] for at in range(9))], None),
    # ranks are data, whatever the first row
    ([["Ann", 1, 2, 3], ["Bob", 2, 1, 3], ["Cleo", 3, 1, 2], ["Dan", 1, 3, 2]], None),
    ([["Roma", 2022], ["Bari", 300], ["Milano", 41], ["Roma", 17]], None),
    ([["Roma", 1990, 2001], ["Bari", 1850, 1999], ["Milano", 1900, 2014]], None),
    ([[2000, 5.5], [2001, 6.5], [2002, 7.5]], None),
    ([["x", "o", "x", "won"], ["x", "x", "o", "won"], ["o", "o", "x", "lost"], ["b", "o", "x", "lost"]], None),
    ([["rep", "n", "y", "?", "y"], ["dem", "y", "y", "n", "n"], ["rep", "y", "?", "n", "y"]], None),
    ([["size", "shape"], ["small", "round"], ["large", "square"]], "size shape"),
]


@pytest.mark.parametrize(("rows", "names"), HEADINGS)
def test_names_stay_names_and_data_stays_data(rows, names):
    """The same in a file and in a sheet, in any order of the rows below the names."""
    for seed in range(5):
        body = rows[1:]
        Random(seed).shuffle(body)
        if seed and rows[0][0] is None and rows[0][1] == 0:
            body = rows[1:]  # what pandas writes counts the rows
        for make in (_delimited, _sheet):
            table = read(make([rows[0], *body]), format="excel" if make is _sheet else None)
            assert len(table) == len(rows) - (names is not None), (make, body)
            if names is not None:
                assert " ".join(table.columns) == names


@pytest.mark.slow
def test_no_data_row_becomes_a_name():
    """Rows without names, in any order: all are rows, in a file and in a sheet."""
    random = Random(0)
    made = {
        "number": lambda: round(random.uniform(-9, 900), random.randrange(3)),
        "year": lambda: random.randrange(1890, 2024),
        "word": lambda: random.choice(["Roma", "bari", "Ada", "x", "y"]),
        "date": lambda: f"20{random.randrange(10, 24)}-0{random.randrange(1, 9)}-11",
    }
    for _ in range(40):
        kinds = ["number", *random.choices(sorted(made), k=random.randrange(1, 5))]
        random.shuffle(kinds)
        rows = [[made[kind]() for kind in kinds] for _ in range(random.randrange(3, 12))]
        for make in (_delimited, _sheet):
            assert len(read(make(rows), format="excel" if make is _sheet else None)) == len(rows), rows


def test_a_first_row_that_may_be_data_is_named():
    table = _read("a,b,c\na,b,x\nd,e,f\n")
    assert any("set header=False" in remark for remark in table.remarks)
    with pytest.raises(ColumnError, match="set header=False"):
        _read("a,b,a,n\na,b,x,5\nd,b,a,7\n")


def test_row_names_of_r_are_a_column():
    for text in ('"mpg","cyl"\n"Mazda RX4",21,6\n"Valiant",18,6\n', "mpg\tcyl\nMazda RX4\t21\t6\nValiant\t18\t6\n"):
        table = _read(text)
        assert table.columns == ("column_1", "mpg", "cyl")
        assert table["mpg"].tolist() == [21, 18]
        assert sum(map(len, read_chunks(io.BytesIO(text.encode())))) == 2


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_row_for_a_model_has_the_names_that_the_model_knows(delimiter, tmp_path):
    """One row is no evidence of names: those of the model are, with or without the names of R's rows."""
    train = _read('"mpg","cyl"\n"Mazda RX4",21,6\n"Valiant",18,6\n').select(["mpg", "cyl"])
    for names, row in (("mpg,cyl", "Datsun,22.5,4"), ("name,mpg,cyl", "Datsun,22.5,4"), ("cyl,mpg", "4,22.5")):
        content = f"{names}\n{row}\n".replace(",", delimiter).encode()
        (tmp_path / "one.csv").write_bytes(content)
        for table in (
            read(io.BytesIO(content), like=train.cell_formats),
            next(read_chunks(io.BytesIO(content), like=train.cell_formats)),
            next(read_chunks(tmp_path / "one.csv", like=train.cell_formats)),
        ):
            assert (table["mpg"].tolist(), table["cyl"].tolist()) == ([22.5], [4.0])
    years = _read("district,2001,2002\n" + "".join(f"D{at},{at + 0.5},{at * 5}\n" for at in range(20)))
    for content in (b"2001,2002\n3,4\n", b"x,2002,2001\n5,4,3\n"):
        known = {name: years.cell_formats[name] for name in ("2001", "2002")}
        table = next(read_chunks(io.BytesIO(content), like=known))
        assert (table["2001"].tolist(), table["2002"].tolist()) == ([3.0], [4.0])


def test_a_delimiter_at_the_end_of_each_row_makes_no_names_of_rows():
    for text in ("a,b\n1,2,\n3,4,\n", "a;b\n1;2;\n3;4;\n5;6;\n"):
        with pytest.raises(ReadError, match="expected 2"):
            _read(text)


def test_the_types_and_flags_of_orange_are_no_rows():
    table = _read("a\tb\ty\ncontinuous\td\tno yes\n\tmeta\tclass\n1.5\tx\tno\n2\ty\tyes\n3\tx\tno\n")
    assert table["a"].tolist() == [1.5, 2, 3]
    assert any("the class is 'y'" in remark for remark in table.remarks)
