"""Table files of text, made by code and damaged: each is read, or refused by an error of vaglio's own."""

from __future__ import annotations

import bz2
import gzip
import html
import importlib
import io
import json
import os
import pkgutil
import tempfile
import warnings
import zlib
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from tools.fuzz.mutate import FLOATS, INTEGERS, TEXTS, change_bytes, change_plain
from tools.fuzz.target import Finding, Target, pick
from vaglio.errors import VaglioError
from vaglio.table import Table, read, read_chunks, readers

WORDS = ("a", "b", "yes", "no", "x y", "perché", "2020-01-02", "03/04/2024", "1.234,5", "1e5", "007", "12 kg", "€ 5")
MISSING = ("", "?", "NA", "null", "-", "n.d.")
# What stands in the way of somebody who cuts text into fields.
MARKS = (
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r",
    "\r\n",
    '"',
    "'",
    '""',
    "\\",
    "{",
    "}",
    "[",
    "]",
    "%",
    "#",
    "@",
    ":",
    " ",
    "\0",
)
LONG = ('"', "'", "\\", " ", "1", "a,", "{", "[", "'a,", ",", "\n", "0 1,", '{"a":', "é")
# A file of megabytes takes as long as hundreds of small ones, and shows no more.
LARGE = 100_000
# What people write above a table, below it and between its rows.
TITLES = ("Report 2024", "Sales by region (EUR)", "# made by a program", "sep=;", "1", "Table 1. Rows, and columns")
UNITS = ("kg", "(kg)", "[m]", "%", "EUR", "", "mean", "2024")
NOTES = ("* provisional", "Source: office", "Fonte: ISTAT", "Note: without islands", "a note of more than three words")
TOTALS = ("Total", "Totale", "Mean", "Grand total:", "Total population")
LEVELS = ("nominal", "ordinal", "interval", "ratio", "numeric", "text", "date", "asymmetric")


def cell(random: Random) -> Any:
    """Return a value: most are usual, so that the rest is read, too."""
    how = random.randrange(12)
    if how < 4:
        return random.randrange(10)
    if how < 6:
        return round(random.uniform(-9, 9), 2)
    return pick(random, (WORDS, WORDS, WORDS, MISSING, TEXTS[:-1], FLOATS)[how - 6])


def rows_of(random: Random) -> list[list[Any]]:
    """Return a row of names, and a few rows in which most columns have values of one kind."""
    names: list[Any] = [pick(random, ("a", "b", "id", "class", "x1", "date", "zip")) + str(at) for at in range(4)]
    if random.random() < 0.2:
        names[random.randrange(4)] = pick(random, (*TEXTS[:-1], "a0", "b0", *WORDS))
    families = [pick(random, (INTEGERS, FLOATS, WORDS, MISSING, ("yes", "no"))) for _ in names]
    rows = [[pick(random, family) for family in families] for _ in range(pick(random, (0, 1, 3, 8, 30)))]
    for row in rows:
        if random.random() < 0.3:
            row[random.randrange(4)] = cell(random)
        if random.random() < 0.05:
            row[1:] = row[1 : random.randrange(5)]
    return [names, *rows]


def laid_out(random: Random) -> list[list[Any]]:
    """Return the rows of a table with what people put around it and between its rows, in any order and number."""
    names, *body = rows_of(random)
    rows = [names, *body] if random.random() < 0.9 else body
    for _ in range(pick(random, (0, 1, 1, 2, 3, 5))):
        _lay(random, rows, names)
    return rows


def _lay(random: Random, rows: list[list[Any]], names: list[Any]) -> None:
    """Put a title, a line of units, a blank row, a total, a note or the names again into a table."""
    width = len(names)
    rest: list[Any] = [""] * pick(random, (0, 0, width - 1, width - 1, width, 1))
    anywhere = random.randrange(len(rows) + 1)
    how = random.randrange(10)
    if how == 0:
        rows.insert(0, [pick(random, TITLES), *rest])
    elif how == 1:
        rows.insert(min(1, len(rows)), [pick(random, UNITS) for _ in names])
    elif how < 4:
        blank = pick(random, ([], [""], [None] * width, [" "] * width))
        rows[anywhere:anywhere] = [blank] * pick(random, (1, 1, 2, 30))
    elif how < 6:
        rows.append([pick(random, TOTALS), *(pick(random, (INTEGERS, FLOATS, ("",)))[0] for _ in names[1:])])
    elif how < 8:
        at = len(rows) if random.random() < 0.8 else anywhere
        rows.insert(at, [pick(random, NOTES), *rest])
    elif how == 8:
        rows.insert(anywhere, list(names))
    else:  # merged cells, and an empty first column
        rows[:] = [["", *row] for row in rows] if random.random() < 0.3 else rows
        if rows and len(rows[0]) > 2:
            rows[0][1:3] = ["group", ""]


def change_text(random: Random, text: str) -> str:
    """Return text with marks, long runs, other lines and other words in it."""
    for _ in range(pick(random, (0, 1, 1, 2, 5))):
        if len(text) > LARGE:
            break
        at = random.randrange(len(text) + 1)
        how = random.randrange(7)
        if how < 3:
            text = text[:at] + pick(random, MARKS) + text[at + random.randrange(2) :]
        elif how == 3:
            mark = pick(random, LONG)
            # Thousands of columns take seconds, and teach nothing.
            text = text[:at] + mark * pick(random, (3, 50, 200 if "," in mark else 3000)) + text[at:]
        elif how == 4:
            text = text[:at] + str(cell(random)) + text[at:]
        else:
            lines = text.split("\n")
            line = random.randrange(len(lines))
            lines[line : line + 1] = [] if how == 5 else _repeated(random, pick(random, lines))
            text = "\n".join(lines)
    return text


def _repeated(random: Random, line: str) -> list[str]:
    return [line] * min(pick(random, (2, 2, 300)), 2 + LARGE // (1 + len(line)))


def encode(random: Random, text: str) -> bytes:
    """Return text as bytes: usually UTF-8, sometimes another encoding, sometimes packed or damaged."""
    how = random.randrange(20)
    codec = {0: "utf-16", 1: "latin-1", 2: "utf-16-le", 3: "utf-8-sig", 4: "utf-32"}.get(how, "utf-8")
    data = text.encode(codec, errors="replace" if codec == "latin-1" else "surrogatepass")
    if how < 8:
        data = change_bytes(random, data)
    if how in (8, 9):
        data = gzip.compress(data, 1) if random.random() < 0.5 else bz2.compress(data, 1)
    return change_bytes(random, data) if how == 9 else data


class Tables:
    """What all formats share: how a file is read."""

    suffix = ".table"

    def prepare(self) -> None:
        warnings.simplefilter("ignore")
        memory = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz", dir=memory if memory.is_dir() else None))
        pa.set_cpu_count(1)
        pa.set_io_thread_count(1)
        # What a worker would import for its first inputs: none of these starts a thread.
        ours = [found.name for found in pkgutil.walk_packages(readers.__path__, f"{readers.__name__}.")]
        for module in ("pandas", "pyarrow.csv", "pyarrow.parquet", "python_calamine", "scipy.sparse", *ours):
            importlib.import_module(module)

    def attempt(self, content: bytes) -> str:
        chance = Random(zlib.crc32(content))
        source: Any = io.BytesIO(content)
        if chance.random() < 0.2:
            source = self.folder / f"{os.getpid()}{self.suffix}"
            source.write_bytes(content)
        try:
            # A chunk costs some time for each of its columns: of a larger file, larger chunks.
            for table in self._read(source, chance, 1 + len(content) // 1000):
                self._use(table)
        except VaglioError as error:
            said = str(error)
            said.encode()
            if "needs more memory" in said:
                raise Finding(said) from None
            if len(said) > 3000:
                raise Finding(f"a sentence of {len(said)} characters: {said[:300]}") from None
            return "refused"
        return "read"

    def _read(self, source: Any, chance: Random, scale: int) -> list[Table]:
        how = chance.randrange(10)
        if how == 0:
            return list(read_chunks(source, rows=pick(chance, (1, 3, 100)) * scale))
        if how == 1:
            like = [(name, pick(chance, ("numeric", "nominal", "text", "date"))) for name in ("a0", "a1", "b0", "x10")]
            return list(read_chunks(source, rows=3 * scale, like=like))
        if how == 2 and chance.random() < 0.2:
            return [read(source, kind="transactions")]
        if how == 3:
            return [read(source, levels={"a0": pick(chance, (*LEVELS, ["x", "y"], [1, 2]))}, target=-1)]
        if how == 4:
            return [read(source, like={"a0": pick(chance, LEVELS[-4:-1]), "b1": pick(chance, LEVELS[-4:-1])}, target=0)]
        if how == 5:
            asked = {"header": pick(chance, (True, False, None)), "delimiter": pick(chance, (None, ",", ";", " ", "a"))}
            return [read(source, decimal=pick(chance, (None, ",", ".")), dayfirst=pick(chance, (True, None)), **asked)]
        if how == 6:
            first = read(source)
            if hasattr(source, "seek"):
                source.seek(0)
            return [first, read(source, like=first.cell_formats, footer=pick(chance, (None, True)))]
        return [read(source)]

    def _use(self, table: Table) -> None:
        repr(table).encode()
        table.to_arrow().validate(full=True)
        for name in table.columns[:5]:
            if len(table.column(name)) != len(table):
                raise Finding(f"column {name!r} has {len(table.column(name))} rows of {len(table)}")


class Delimited(Tables, Target):
    """CSV and the like."""

    name = "csv"

    def make(self, random: Random) -> bytes:
        mark = pick(random, (",", ",", ";", "\t", "|"))
        rows = laid_out(random)
        # A ragged table is refused, and shows nothing of how others are read.
        width = max(map(len, rows), default=0) if random.random() < 0.7 else 0
        full = [["" if value is None else value for value in row] + [""] * (width - len(row)) for row in rows]
        text = pick(random, ("\n", "\n", "\r\n")).join(mark.join(map(str, row)) for row in full)
        return encode(random, change_text(random, text) if random.random() < 0.5 else text)


class Pages(Tables, Target):
    """HTML pages with one table or more."""

    name = "html"
    suffix = ".html"
    TAGS = (
        "<table>",
        "</table>",
        "<tr>",
        "</tr>",
        "<td>",
        "<td colspan=3>",
        "<td rowspan=2>",
        "<script>",
        "<caption>x",
    )

    def make(self, random: Random) -> bytes:
        tables = "<p>text</p>".join(self._table(random) for _ in range(pick(random, (1, 1, 2, 3))))
        page = f"<!DOCTYPE html><html><body>{tables}</body></html>"
        for _ in range(pick(random, (0, 0, 1, 3))):
            at = random.randrange(len(page) + 1)
            page = page[:at] + pick(random, self.TAGS) + page[at:]
        return encode(random, change_text(random, page) if random.random() < 0.5 else page)

    def _table(self, random: Random) -> str:
        lines = ["<table>"]
        for row in laid_out(random):
            tag = pick(random, ("th", "td", "td", "td"))
            spans = pick(random, ("", "", "", " colspan=2", " rowspan='3'", " colspan=99999"))
            cells = [f"<{tag}{spans if not at else ''}>{html.escape(str(cell))}</{tag}>" for at, cell in enumerate(row)]
            lines.append(f"<tr>{''.join(cells)}</tr>")
        return "\n".join([*lines, "</table>"])


class Arff(Tables, Target):
    """ARFF, dense and sparse."""

    name = "arff"
    KINDS = ("numeric", "REAL", "integer [1,3]", "string", "{a,b,'x y'}", '{yes,no,"?"}', "date", "date 'yyyy-MM-dd'")
    STRANGE = ("relational", "{a", "date '%'", 'date "yyyy%n%s\'"', "", "{}", "{a,a}", "numeric {0.5}", "nominal")

    def make(self, random: Random) -> bytes:
        names, *rows = rows_of(random)
        kinds = [pick(random, self.KINDS if random.random() < 0.95 else self.STRANGE) for _ in names]
        lines = ["@relation r", *(f"@attribute '{name}' {kind}" for name, kind in zip(names, kinds)), "@data"]
        sparse, sound = random.random() < 0.3, random.random() < 0.7
        for row in rows:
            cells = [self._value(random, kind, value, sound) for kind, value in zip(kinds, row)]
            cells += ["?"] * (len(kinds) - len(cells)) if sound else []
            if sparse:
                cells = [f"{at} {value}" for at, value in enumerate(cells) if random.random() < 0.6]
                lines.append("{" + ", ".join(cells) + "}")
            else:
                lines.append(",".join(cells))
            if random.random() < 0.05:
                lines[-1] += pick(random, (", {2}", " % note", ",{0.5}", *(() if sound else (",{x}", "}"))))
        text = "\n".join(lines)
        return encode(random, change_text(random, text) if random.random() < 0.4 else text)

    def _value(self, random: Random, kind: str, value: Any, sound: bool) -> str:
        if not sound and random.random() < 0.02:
            return str(value)
        usual = {
            "n": "1.5",
            "R": "-2e3",
            "i": "2",
            "s": "'it\\'s'",
            "d": "'2020-01-02'" if "yyyy" in kind else "2020-01-02T03:04:05",
            "{": "yes" if "yes" in kind else "'x y'",
        }
        known = usual.get(kind[:1], "a")
        return known if random.random() < 2 / 3 else "?"


class Json(Tables, Target):
    """JSON lines, arrays of rows and objects of columns."""

    name = "json"

    def make(self, random: Random) -> bytes:
        names, *rows = rows_of(random)
        data: Any = [dict(zip(map(str, names), row)) for row in rows]
        form = random.randrange(4)
        if form == 3:
            data = {str(name): [row[at] if at < len(row) else None for row in rows] for at, name in enumerate(names)}
        for _ in range(pick(random, (0, 0, 1, 2))):
            data = change_plain(random, data)
        if form < 2 and isinstance(data, list):
            text = "\n".join(json.dumps(row, ensure_ascii=random.random() < 0.5) for row in data)
        else:
            text = json.dumps(data, indent=pick(random, (None, 1)))
        return encode(random, change_text(random, text) if random.random() < 0.5 else text)
