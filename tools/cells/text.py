"""The text of a delimited file, by Python's own reader: what each cell says, whatever vaglio makes of it."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ": lzma.decompress}
_SAMPLE = 200
csv.field_size_limit(1 << 30)


@dataclass(frozen=True)
class TextTable:
    """A delimited file as text.

    Attributes
    ----------
    content : str
        The whole text.
    delimiter : str
    names : list of str
        Names of the columns, as the first row has them.
    rows : list of list of str
        All rows below that are not blank lines.
    headed : int
        How many rows above them hold names.
    """

    content: str
    delimiter: str
    names: list[str]
    rows: list[list[str]]
    headed: int = 1

    @classmethod
    def of(cls, content: bytes) -> TextTable:
        """Read a file: the delimiter is the one that cuts most of the first rows into as many fields."""
        text = _decoded(content)
        delimiter = max("\t;|,", key=lambda mark: _agreement(text, mark))
        names, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row] or [[]]
        if rows and all(len(row) == len(names) + 1 for row in rows):
            names = ["", *names]  # R writes no name above the names of the rows
        named = [name.strip() or f"column_{at}" for at, name in enumerate(names, start=1)]
        return cls(text, delimiter, named, rows)

    def as_read(self, names: Sequence[str], n_rows: int) -> TextTable:
        """Return the text with the names that vaglio found, if it takes the first row for data, or more for names.

        Whether that is right is for a person to judge; the cells can be compared all the same.

        Parameters
        ----------
        names : sequence of str
        n_rows : int
        """
        named = [f"column_{at}" for at in range(1, len(self.names) + 1)]
        if [*names] == named and n_rows == len(self.rows) + 1:
            first = next(row for row in csv.reader(io.StringIO(self.content), delimiter=self.delimiter) if row)
            return replace(self, rows=[first, *self.rows], headed=0)
        more = len(self.rows) - n_rows
        if [*names] == self.names and more in (1, 2):
            return replace(self, rows=self.rows[more:], headed=1 + more)
        return self

    @property
    def of_one_width(self) -> bool:
        """Whether there are rows, all of them as long as the row of names."""
        return bool(self.rows) and all(len(row) == len(self.names) for row in self.rows)

    @property
    def is_table(self) -> bool:
        """Whether the rows are of one width, and no name occurs twice."""
        return self.of_one_width and len(set(self.names)) == len(self.names)

    def column(self, at: int) -> list[str]:
        """Return the cells of a column, without blanks around them."""
        return [row[at].strip() for row in self.rows]

    def cut(self, start: int, stop: int) -> bytes:
        """Return the file with these rows alone, written as they are."""
        lines = self.content.splitlines(keepends=True)
        if len(lines) == len(self.rows) + self.headed:
            return "".join(lines[: self.headed] + lines[self.headed :][start:stop]).encode()
        sink = io.StringIO()
        # Some cells have several lines.
        read = csv.reader(io.StringIO(self.content, newline=""), delimiter=self.delimiter)
        head = list(islice((row for row in read if row), self.headed))
        csv.writer(sink, delimiter=self.delimiter, lineterminator="\n").writerows([*head, *self.rows[start:stop]])
        return sink.getvalue().encode()


def unpacked(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    content = path.read_bytes()
    unpack = next((unpack for magic, unpack in _PACKED.items() if content.startswith(magic)), bytes)
    return unpack(content)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _agreement(text: str, delimiter: str) -> float:
    sample = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    widths = Counter(len(row) for row in islice(sample, _SAMPLE) if row)
    width, times = widths.most_common(1)[0] if widths else (1, 0)
    return times / widths.total() if width > 1 else 0.0
