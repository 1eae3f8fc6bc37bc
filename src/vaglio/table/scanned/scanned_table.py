"""A table whose rows stay on disk until they are looked at, and what is computed from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from vaglio.errors import ColumnError, InputError
from vaglio.messages.message import Option
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.runtime.seeds import row_hash
from vaglio.table._cell_format import CellFormat
from vaglio.table._convert import together
from vaglio.table._frames import as_frame
from vaglio.table._table import Table
from vaglio.table._write import TableWriter
from vaglio.table._written import Written
from vaglio.table.scanned.group_keys import Keyed, group_folds, group_split
from vaglio.table.scanned.parts import FilePart, Reading
from vaglio.table.scanned.row_shares import Change, RowShare, count_taken

CHUNK_ROWS = 65_536


@dataclass(frozen=True)
class ScannedTable:
    """Rows on disk, in the order of the names of their files; made by :func:`vaglio.scan`.

    Attributes
    ----------
    parts : tuple of FilePart
        Where the rows are.
    reading : Reading
        The columns and their kinds.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from vaglio import scan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("size,sold\\n1.5,yes\\n2.5,no\\n")
    ...     data = scan(path)
    ...     X, y = data.xy("sold")
    ...     X.columns, y.name, len(data)
    (['size'], 'sold', 2)
    """

    parts: tuple[FilePart, ...]
    reading: Reading

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self.reading.names

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column: "numeric", "nominal" or "date"."""
        return {name: cell_format.kind for name, cell_format in self.reading.columns}

    @property
    def cell_formats(self) -> dict[str, CellFormat]:
        """How the cells of each column are written, for rows of another table."""
        return {name: replace(cell_format, provisional=False) for name, cell_format in self.reading.columns}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns; rows of text files are counted by reading them."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        one = replace(self.reading, columns=self.reading.columns[:1])
        return sum(
            sum(map(len, part.tables(one, CHUNK_ROWS))) if part.rows is None else part.rows for part in self.parts
        )

    @property
    def known_rows(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        rows = [part.rows for part in self.parts]
        return None if None in rows else sum(each for each in rows if each is not None)

    def __repr__(self) -> str:
        files = len({part.path for part in self.parts})
        return f"ScannedTable({files} file{'s' * (files != 1)}, columns {listed(self.columns, quoted=True)})"

    def __getitem__(self, name: str) -> ScannedColumn:
        if name not in self.kinds:
            raise ColumnError(
                "unknown-column",
                "There is no column {column!r}: {hint}",
                column=name,
                hint=did_you_mean(str(name), self.columns, quoted=True),
            )
        return ScannedColumn(self, name)

    def select(self, names: Sequence[str]) -> ScannedTable:
        """Return the table with these columns only.

        Parameters
        ----------
        names : sequence of str
        """
        known = dict(self.reading.columns)
        return replace(self, reading=Reading(tuple((self[name].name, known[name]) for name in names)))

    def drop(self, names: Sequence[str]) -> ScannedTable:
        """Return the table without these columns.

        Parameters
        ----------
        names : sequence of str
        """
        left_out = {self[name].name for name in names}
        return self.select([name for name in self.columns if name not in left_out])

    def xy(self, target: str) -> tuple[ScannedTable, ScannedColumn]:
        """Split into the input columns and the target.

        Parameters
        ----------
        target : str

        Returns
        -------
        X : ScannedTable
        y : ScannedColumn
            Rows whose target is missing are left out of a training.
        """
        y = self[target]
        if len(self.columns) < 2:
            raise InputError(
                "target-is-only-column", "{column!r} is the only column. There is nothing to learn from.", column=target
            )
        return self.drop([target]), y

    def grouped(self, name: str) -> ScannedTable:
        """Return the table without a column whose values tell which rows belong together: no split divides them.

        Parameters
        ----------
        name : str
            The column, e.g. the customer or the patient. A row without a value is a group of its own.
        """
        if any(part.shares for part in self.parts):
            raise InputError("grouped-after-split", "Name the groups before you take some of the rows of a table.")
        group = (self[name].name, dict(self.reading.columns)[name])
        return replace(self.drop([name]), parts=tuple(replace(part, group=group) for part in self.parts))

    @property
    def group(self) -> str | None:
        """Name of the column whose values tell which rows belong together."""
        found = self.parts[0].group if self.parts else None
        return None if found is None else found[0]

    def group_keys(self) -> np.ndarray:
        """Return a number for the group of each row."""
        assert self.group is not None
        name = self.columns[0]
        keyed = self.select([name]).changing(Keyed(self.group, name))
        found = [table.column(name).data.astype(np.int64) for table in keyed.chunks()]
        return np.concatenate([np.empty(0, np.int64), *found])

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Table]:
        """Read the rows one chunk after the other.

        Parameters
        ----------
        rows : int, default=65536
            Rows per chunk at most.

        Yields
        ------
        Table
        """
        for part in self.parts:
            yield from part.tables(self.reading, rows)

    def head(self, rows: int = CHUNK_ROWS) -> Table:
        """Return the first rows.

        Parameters
        ----------
        rows : int, default=65536
        """
        found: list[Table] = []
        for table in self.chunks(rows):
            found.append(table[: rows - sum(map(len, found))])
            if sum(map(len, found)) >= rows:
                break
        return joined(found, self)

    def read(self) -> Table:
        """Return all rows, in memory."""
        return joined(list(self.chunks()), self)

    def sample(self, rows: int, seed: int = 0) -> Table:
        """Return a random sample in memory: the same rows for the same seed, in the order of the table.

        Parameters
        ----------
        rows : int
            How many; all, if there are no more.
        seed : int, default=0
        """
        if rows < 1:
            raise InputError("sample-without-rows", "A sample must have at least one row, not {rows}.", rows=rows)
        return sample_rows(self, rows, seed)

    def split(self, share: float, seed: int = 0) -> tuple[ScannedTable, ScannedTable]:
        """Divide the rows in two by the hash of their number, or of their group.

        Parameters
        ----------
        share : float
            Of the second table, between 0 and 1; about so many of the rows are in it.
        seed : int, default=0

        Returns
        -------
        rest, held : ScannedTable
        """
        if not 0 < share < 1:
            raise InputError(
                "share-out-of-range",
                "{option} is {share:g}; it must be a share between 0 and 1, for example 0.3.",
                option=Option("share"),
                share=share,
            )
        held = RowShare(0.0, share, seed) if self.group is None else group_split(self.group_keys(), share, seed)
        return self.taking(replace(held, inside=False)), self.taking(held)

    def folds(self, n_splits: int, seed: int = 0) -> list[tuple[ScannedTable, ScannedTable]]:
        """Divide the rows into folds by the hash of their number or group; return training and test rows of each.

        Parameters
        ----------
        n_splits : int
        seed : int, default=0
        """
        if n_splits < 2:
            raise InputError(
                "too-few-folds",
                "{n_splits} {n_splits:fold leaves|folds leave} no rows to learn from. Use at least 2 folds.",
                n_splits=n_splits,
            )
        whole = self._numbered()
        if self.group is None:
            edges = [fold / n_splits for fold in range(n_splits + 1)]
            shares = [RowShare(low, high, seed) for low, high in pairwise(edges)]
        else:
            shares = group_folds(whole.group_keys(), n_splits, seed)
        return [(whole.taking(replace(one, inside=False)), whole.taking(one)) for one in shares]

    def taking(self, share: RowShare) -> ScannedTable:
        """Return the table with some of its rows.

        Parameters
        ----------
        share : RowShare
        """
        whole = self._numbered()
        parts = []
        for part in whole.parts:
            shares = (*part.shares, share)
            counted = not part.shares and part.group is None
            parts.append(replace(part, shares=shares, rows=_taken_of(part, shares) if counted else None))
        return replace(whole, parts=tuple(parts))

    def changing(self, change: Change) -> ScannedTable:
        """Return the table with something changed in its rows whenever they are read.

        Parameters
        ----------
        change : callable
            From a Table and the numbers of its rows in the whole table to the Table changed; picklable. The columns
            are those that are read, which may be some of the table.
        """
        whole = self._numbered()
        parts = [replace(part, changes=(*part.changes, change)) for part in whole.parts]
        return replace(whole, parts=tuple(parts))

    def leading(self, share: float) -> ScannedTable:
        """Return the first parts, so many that they have about this share of the rows, and one at least.

        Parameters
        ----------
        share : float
        """
        most = round(share * len(self.parts))
        return replace(self, parts=self.parts[: max(1, most)])

    def _numbered(self) -> ScannedTable:
        """Return the table with the number of the first row of each part; those of text files are counted."""
        if self.parts and all(part.numbered for part in self.parts):
            return self
        parts, start = [], 0
        for part in self.parts:
            rows = len(replace(self, parts=(part,)))
            parts.append(replace(part, start=start, rows=rows, numbered=True))
            start += rows
        return replace(self, parts=tuple(parts))


def _taken_of(part: FilePart, shares: tuple[RowShare, ...]) -> int:
    assert part.rows is not None
    return count_taken(shares, part.start, part.rows)


@dataclass(frozen=True)
class ScannedColumn:
    """One column of a scanned table: the target, or the weights of the rows.

    Attributes
    ----------
    table : ScannedTable
    name : str
    """

    table: ScannedTable
    name: str

    def __len__(self) -> int:
        return len(self.table)


@dataclass(frozen=True)
class ScannedResult:
    """One value, or one row of values, for each row of a scanned table, computed when it is looked at.

    Attributes
    ----------
    table : ScannedTable
    compute : callable
        From a Table to an array with as many rows.
    names : tuple of str
        Names of the columns when the result is written.
    """

    table: ScannedTable
    compute: Callable[[Table], np.ndarray]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.table)

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[np.ndarray]:
        """Compute the result one chunk after the other.

        Parameters
        ----------
        rows : int, default=65536
            Rows per chunk at most.

        Yields
        ------
        ndarray
        """
        for table in self.table.chunks(rows):
            if len(table):
                yield self.compute(table)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        whole = list(self.chunks())
        empty = np.empty((0,) if len(self.names) == 1 else (0, len(self.names)))
        return np.asarray(np.concatenate(whole) if whole else empty, dtype=dtype)

    def write(self, path: str | os.PathLike[str], rows: int = CHUNK_ROWS) -> None:
        """Write the result to a file, chunk by chunk: CSV, Parquet or JSON lines, by the end of its name.

        Parameters
        ----------
        path : str or path-like
        rows : int, default=65536
        """
        with TableWriter(path) as writer:
            for values in self.chunks(rows):
                columns = values[:, None] if values.ndim == 1 else values
                writer.write(as_frame({name: columns[:, at] for at, name in enumerate(self.names)}))


def joined(tables: list[Table], like: ScannedTable | None = None) -> Table:
    """Return chunks as one table; ``like`` is named where there are none."""
    if not tables:
        if like is not None and like.parts:
            raise InputError("file-without-rows", "{name} has no rows.", name=like.parts[0].path)
        raise InputError("table-without-rows", "The table has no rows.")
    made = Table(together([table.column(name) for table in tables]) for name in tables[0].columns)
    made.written = Written.joined([table.written for table in tables])
    return made


def sample_rows(data: ScannedTable, rows: int, seed: int) -> Table:
    """Return the rows with the smallest hashes, gathered in one look at the table."""
    held: list[tuple[np.ndarray, Table]] = []
    n_held, start, bound = 0, 0, np.uint64(2**64 - 1)
    for table in data.chunks():
        hashes = row_hash(np.arange(start, start + len(table)), seed)
        start += len(table)
        near = np.flatnonzero(hashes <= bound)
        held.append((hashes[near], table.take(near)))
        n_held += len(near)
        if n_held > 2 * rows + CHUNK_ROWS:
            held, bound = _cut(held, rows, data)
            n_held = rows
    found, _ = _cut(held, rows, data)
    return found[0][1]


def _cut(
    held: list[tuple[np.ndarray, Table]], rows: int, data: ScannedTable
) -> tuple[list[tuple[np.ndarray, Table]], np.uint64]:
    hashes = np.concatenate([each for each, _ in held]) if held else np.empty(0, np.uint64)
    table = joined([each for _, each in held if len(each)], data)
    if len(hashes) <= rows:
        return [(hashes, table)], np.uint64(2**64 - 1)
    kept = np.sort(np.argpartition(hashes, rows)[:rows])
    return [(hashes[kept], table.take(kept))], np.uint64(hashes[kept].max())
