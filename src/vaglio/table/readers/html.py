"""Tables of an HTML page, as the rows that a browser shows."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from vaglio.errors import ReadError
from vaglio.messages.message import Message
from vaglio.messages.options import reading
from vaglio.messages.sentences import clip, did_you_mean, listed
from vaglio.table.readers.capacity import Limits

# A cell may span so many columns, as HTML has it.
_WIDEST = 1000
# What separates the words of a cell without being one.
_BREAKS = frozenset(("br", "p", "div", "li"))
_UNSEEN = frozenset(("script", "style", "template"))


class _Grid:
    """The cells of a table; one that spans rows or columns is repeated in each of them."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.begun: set[int] = set()
        self.caption: list[str] = []
        self.nests = False
        self.headings = 0
        self._spans: dict[int, tuple[int, str]] = {}
        self._into: list[str] | None = None
        self._span = 1, 1
        self._cells = 0

    def start(self, tag: str, attributes: dict[str, str | None]) -> None:
        """Take a tag inside the table."""
        if tag == "tr":
            self.end("tr")
            self.rows.append([])
            self._cells = 0
        elif tag in ("td", "th"):
            self.end("td")
            if not self.rows:
                self.rows.append([])
            self.headings += tag == "th" and len(self.rows) == 1
            self._span = _number(attributes.get("colspan"), _WIDEST), _number(attributes.get("rowspan"), 65534)
            self._into = []
        elif tag == "caption":
            self._into = self.caption
        elif tag in _BREAKS and self._into is not None:
            self._into.append(" ")

    def say(self, words: str) -> None:
        """Take text inside the table."""
        if self._into is not None:
            self._into.append(words)

    def end(self, tag: str) -> None:
        """Take the end of a cell or a row."""
        if tag == "caption":
            self._into = None
        if tag not in ("td", "th", "tr", "table") or not self.rows:
            return
        if self._into is not None and self._into is not self.caption:
            wide, high = self._span
            self._fill()
            word = " ".join("".join(self._into).split())
            row = self.rows[-1]
            self.begun.add(len(row))
            for at in range(len(row), len(row) + wide):
                if high > 1:
                    self._spans[at] = high - 1, word
            row += [word] * wide
            self._cells += 1
            self._into = None
        if tag in ("tr", "table"):
            self._fill()
            row = self.rows[-1]
            # A cell alone over all columns is a title or a note, which stands in the first of them.
            if self._cells == 1 and len(set(row)) == 1:
                row[1:] = [""] * (len(row) - 1)

    def _fill(self) -> None:
        """Continue the cells of the rows above that reach down to here."""
        row = self.rows[-1]
        while len(row) in self._spans:
            left, word = self._spans.pop(len(row))
            if left > 1:
                self._spans[len(row)] = left - 1, word
            row.append(word)


def _number(word: str | None, most: int) -> int:
    return min(max(1, int(word)), most) if word and word.isascii() and word.isdigit() and len(word) < 6 else 1


class _Page(HTMLParser):
    """The tables of a page, in the order in which they begin."""

    def __init__(self, name: str, limits: Limits) -> None:
        super().__init__()
        self.tables: list[_Grid] = []
        self._open: list[_Grid] = []
        self._unseen = 0
        self._name, self._limits, self._cells = name, limits, 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "table":
            for each in self._open[-1:]:
                each.nests = True
            self._open.append(_Grid())
            self.tables.append(self._open[-1])
        elif self._open:
            self._open[-1].start(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen -= self._unseen > 0
        elif self._open:
            grid = self._open[-1]
            grid.end(tag)
            if tag in ("tr", "table") and grid.rows:
                self._cells += len(grid.rows[-1])
                self._limits.check_shape(self._name, self._cells, 1)
            if tag == "table":
                self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and not self._unseen:
            self._open[-1].say(data)

    def close(self) -> None:
        super().close()
        for grid in self._open:
            grid.end("table")


def tables_of(page: str, name: str, limits: Limits) -> list[_Grid]:
    """Return the tables of a page that have a row below a first one, and no table in a cell."""
    parser = _Page(name, limits)
    parser.feed(page)
    parser.close()
    return [grid for grid in parser.tables if not grid.nests and sum(map(any, grid.rows)) > 1]


def read_page(page: bytes, name: str, sheet: str | int, limits: Limits) -> tuple[bytes, bool | None, list[str]]:
    """Return a table of a page as text between tabs, whether its first row has the names, and remarks.

    Parameters
    ----------
    page : bytes
        UTF-8.
    name : str
        Of the page, for messages.
    sheet : str or int
        The caption of the table, or its position among the tables of the page.
    limits : Limits

    Examples
    --------
    >>> from vaglio.table.readers.html import read_page
    >>> page = b"<table><tr><th>a<th>b<tr><td>1<td>x</table>"
    >>> read_page(page, "page.html", 0, Limits())
    (b'a\\tb\\n1\\tx\\n', True, [])
    """
    tables = tables_of(page.decode(errors="replace"), name, limits)
    if not tables:
        raise ReadError(
            "page-without-table",
            "{name} is an HTML page without a table. Save the data behind it, for instance as CSV.",
            name=name,
        )
    captions = ["".join(grid.caption).strip() for grid in tables]
    at = sheet if isinstance(sheet, int) else captions.index(sheet) if sheet in captions else len(tables)
    if not -len(tables) <= at < len(tables):
        known = [caption or str(n) for n, caption in enumerate(captions)]
        hint = did_you_mean(str(sheet), known, otherwise=Message("", "it has"), quoted=True)
        raise ReadError("unknown-table", "{name} has no table {sheet!r}: {hint}", name=name, sheet=sheet, hint=hint)
    remarks: list[str] = []
    if len(tables) > 1:
        remarks.append(
            Message(
                "one-table-of-page",
                "{name} has {n:,} tables, of which table {at} was read ({tables}). Set {sheet} to read another.",
                name=name,
                n=len(tables),
                at=at % len(tables),
                tables=listed((clip(caption or _first(grid), 40) for caption, grid in zip(captions, tables)), 3),
                sheet=reading("sheet", (at + 1) % len(tables)),
            )
        )
    grid = tables[at]
    limits.check_shape(name, len(grid.rows), len(grid.begun))
    named = grid.headings > 1 and grid.headings == len(grid.rows[0])
    return _as_text(grid), True if named else None, remarks


def _first(grid: _Grid) -> str:
    return next((word for row in grid.rows for word in row if word), "")


def _as_text(grid: _Grid) -> bytes:
    # A column in which no cell begins only repeats the one before it.
    columns = sorted(grid.begun)
    out = io.StringIO()
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(
        [row[at] if at < len(row) else "" for at in columns] for row in grid.rows if row
    )
    return out.getvalue().encode()
