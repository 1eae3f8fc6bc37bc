"""`predict` writes the cells of delimited text as they were: every delimiter, decimal mark, date, encoding and way."""

from __future__ import annotations

import csv
import io
import random

import pytest
from tests.cli.conftest import run_here

import vaglio

HEADER = ["Città", "Età media", "Canone", "Dal", "Codice", "Nota", "Esito"]


def _table(decimal: str, dates: str, seed: int = 0, n: int = 80) -> list[list[str]]:
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        age, fee = draw.randrange(18, 90), draw.uniform(5, 2000)
        written = f"{fee:,.2f}" if decimal == "." else f"{fee:,.2f}".translate(str.maketrans(",.", ".,"))
        day = dates.format(d=draw.randrange(1, 29), m=draw.randrange(1, 13), y=draw.randrange(2018, 2025))
        note = draw.choice(["però", 'detto "il Moro"', "a; b, c\td", "-5", "=1+1", " spazi ", "due\nrighe", ""])
        age_written = draw.choice([f"{age}", f" {age}", "", "n.d."])
        code = f"{draw.randrange(1000):05d}"
        rows.append(
            [draw.choice(["Forlì", "Nuoro"]), age_written, f"{written} €", day, code, note, "sì" if fee > 900 else "no"]
        )
    return rows


def _written(rows: list[list[str]], delimiter: str, encoding: str, line_end: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=line_end).writerows([HEADER, *rows])
    return out.getvalue().encode(encoding)


def _parsed(data: bytes, delimiter: str, encoding: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=delimiter))


DIALECTS = {
    "Italian": (";", ",", "{d:02d}/{m:02d}/{y}", "cp1252", "\r\n"),
    "plain": (",", ".", "{y}-{m:02d}-{d:02d}", "utf-8", "\n"),
    "Excel's text": ("\t", ",", "{d}.{m}.{y}", "utf-16", "\r\n"),
    "with a mark": (";", ",", "{d:02d}-{m:02d}-{y}", "utf-8-sig", "\n"),
    "bars": ("|", ".", "{m}/{d}/{y}", "utf-8", "\n"),
}


@pytest.fixture(
    scope="module",
    params=[name if name == "Italian" else pytest.param(name, marks=pytest.mark.slow) for name in DIALECTS],
)
def dialect(request, tmp_path_factory):
    delimiter, decimal, dates, encoding, line_end = DIALECTS[request.param]
    folder = tmp_path_factory.mktemp("cells")
    rows = _table(decimal, dates)
    path = folder / "rows.csv"
    path.write_bytes(_written(rows, delimiter, encoding, line_end))
    outcome = run_here("train", path, "--target", "Esito", "--out", folder / "m.vaglio")
    assert outcome.code == 0, outcome.err
    return folder, path, rows, (delimiter, decimal, encoding, line_end)


@pytest.mark.parametrize("way", [(), ("--memory", "4GB"), ("--sort", "sì"), ("--sort", "sì", "--top", "7")], ids=str)
def test_cells_are_those_of_the_file(dialect, way):
    folder, path, rows, (delimiter, decimal, encoding, line_end) = dialect
    outcome = run_here("predict", folder / "m.vaglio", path, "--out", folder / "p.csv", *way)
    assert outcome.code == 0, outcome.err
    data = (folder / "p.csv").read_bytes()
    found = _parsed(data, delimiter, encoding)
    assert found[0][: len(HEADER)] == HEADER
    assert line_end.encode(encoding.replace("utf-16", "utf-16-le").replace("-sig", "")) in data
    cells = [row[: len(HEADER)] for row in found[1:]]
    assert all(cell in rows for cell in cells) if way else cells == rows
    assert len(cells) == (7 if "--top" in way else len(rows))
    at = found[0].index("p_sì")
    assert all(0 <= float(row[at].replace(decimal, ".")) <= 1 for row in found[1:])
    assert all(("." if decimal == "," else ",") not in row[at] for row in found[1:])
    again = vaglio.read(folder / "p.csv")
    assert again["predicted"].tolist() == [row[found[0].index("predicted")] for row in found[1:]]


# Name -> delimiter, cells of a column of numbers, and the mark of the probabilities beside them.
MARKS = {
    "comma, late": (";", ["12", "1,5", "3,25", "1.250,5"], ","),
    "comma between tabs": ("\t", ["12", "1,5", "3,25"], ","),
    "point, late": (";", ["12", "1.5", "3.25"], "."),
    "whole": (";", ["12", "15", "32"], ","),
    "whole between tabs": ("\t", ["12", "15", "32"], "."),
    "quoted": (",", ["12", "1,5", "3,25"], ","),
}


@pytest.mark.parametrize(
    "name", [name if name == "comma, late" else pytest.param(name, marks=pytest.mark.nightly) for name in MARKS]
)
def test_the_mark_of_new_numbers_is_that_of_training_however_many_rows_there_are(name, tmp_path):
    delimiter, cells, mark = MARKS[name]
    out = io.StringIO()
    # A version and a time have points that are no decimal marks.
    rows = [[cells[0 if at < 2 else at % len(cells)], "1.5", f"{at % 7}", "ab"[at % 2]] for at in range(60)]
    csv.writer(out, delimiter=delimiter).writerows([["x", "Versione v.", "k", "c"], *rows])
    lines = out.getvalue().splitlines(keepends=True)
    train, new, model, written = (tmp_path / each for each in ("train.csv", "new.csv", "m.vaglio", "p.csv"))
    train.write_text("".join(lines), newline="")
    learner = ("--target", "c", "--learner", "naive-bayes", "--ignore", "Versione v.")
    assert run_here("train", train, *learner, "--out", model).code == 0
    for n, way in ((1, ()), (3, ()), (60, ()), (1, ("--memory", "4GB")), (60, ("--memory", "4GB"))):
        new.write_text("".join(lines[: n + 1]), newline="")
        assert run_here("predict", model, new, "--out", written, *way).code == 0
        found = _parsed(written.read_bytes(), delimiter, "utf-8")
        chances = [row[found[0].index("p_a")] for row in found[1:]]
        assert len(chances) == n
        assert all(mark in chance and ".,".replace(mark, "") not in chance for chance in chances), (n, way)


@pytest.mark.slow
def test_a_pipe_is_written_alike(dialect, monkeypatch):
    folder, path, rows, (delimiter, _, encoding, _) = dialect
    stdin = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run_here("predict", folder / "m.vaglio", "-", "--out", folder / "q.csv").code == 0
    found = _parsed((folder / "q.csv").read_bytes(), delimiter, encoding)
    assert [row[: len(HEADER)] for row in found[1:]] == rows


@pytest.mark.slow
def test_a_call_list_for_a_spreadsheet_is_in_the_readers_language(dialect):
    folder, path, rows, (_, decimal, _, _) = dialect
    options = ["--sort", "sì", "--top", "5", "--reasons", "2", "--for-spreadsheet", "--lang", "it"]
    outcome = run_here("predict", folder / "m.vaglio", path, "--out", folder / "c.csv", *options)
    assert outcome.code == 0, outcome.err
    data = (folder / "c.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    head, *found = _parsed(data, ";", "utf-8-sig")
    added = ["posizione", "prevista", "probabilità di no", "probabilità di sì", "motivo 1", "motivo 2"]
    assert head == [*HEADER, *added]
    assert [row[len(HEADER)] for row in found] == ["1", "2", "3", "4", "5"]
    of = {tuple(_guarded(cell) for cell in row): row for row in _decimal_comma(rows, decimal)}
    assert all(tuple(row[: len(HEADER)]) in of for row in found)
    assert all("Canone" in row[-2] and "," in row[-2] for row in found)
    # A program of English people wants points.
    assert run_here("predict", folder / "m.vaglio", path, "--out", folder / "e.csv", *options[:-1], "en").code == 0
    english = _parsed((folder / "e.csv").read_bytes(), ",", "utf-8-sig")
    assert english[0][len(HEADER) :][:4] == ["rank", "predicted", "probability of no", "probability of sì"]
    assert [float(row[-3]) for row in english[1:]] == [float(row[-3].replace(",", ".")) for row in found]


def _decimal_comma(rows: list[list[str]], decimal: str) -> list[list[str]]:
    marks = str.maketrans(",.", ".,") if decimal == "." else {}
    return [[*row[:2], row[2].translate(marks), *row[3:]] for row in rows]


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith("=") else cell


@pytest.mark.slow
def test_what_the_encoding_lacks_is_a_sentence(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,ciào\n2,ciào\n3,мир\n4,мир\n" * 4, encoding="utf-8")
    assert run_here("train", tmp_path / "a.csv", "--target", "y", "--out", tmp_path / "m.vaglio").code == 0
    (tmp_path / "b.csv").write_bytes("x,città\n1,è\n3,è\n".encode("cp1252"))
    told = run_here("predict", tmp_path / "m.vaglio", tmp_path / "b.csv", "--read", "encoding=cp1252")
    assert told.code == 1
    assert "which has no 'м'" in told.err
