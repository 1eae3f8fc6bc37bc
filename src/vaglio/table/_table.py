"""The Table: named and typed columns of the same length. On screen it has one line per column."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vaglio.errors import ArgumentError, ColumnError, InputError, as_own_errors
from vaglio.messages.listing import bullet_html, html_table, text_table
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.printable import is_whole_text
from vaglio.messages.sentences import clip, did_you_mean, listed, plural
from vaglio.runtime.arguments import checked
from vaglio.table._cell_format import CellFormat
from vaglio.table._column import Column, labels, numbers
from vaglio.table._column_names import renamed
from vaglio.table._convert import Levels, apply_overrides
from vaglio.table._sparse import SparseBlock
from vaglio.table._task import decide_task
from vaglio.table._written import Written
from vaglio.typing import TableSource

_HEAD = (
    text("column"),
    text("kind"),
    text("level"),
    text("values"),
    text("role"),
    text("missing"),
    text("distinct"),
    text("example"),
)
# More columns than this do not fit a screen.
_MOST_COLUMNS = 40
# Counting distinct numbers sorts them. In a longer table only the first rows are counted, and a + says so.
_MOST_ROWS = 100_000
# Characters of the example: the schema then fits a terminal of usual width.
_LONGEST = 40


class Table:
    """Typed columns with names, measurement levels and roles. It is never changed in place.

    Make one with :func:`vaglio.read` (types inferred from the values) or :meth:`Table.from_any` (types taken from
    the dtypes). scikit-learn's splitters take a Table as X.

    Parameters
    ----------
    columns : iterable of Column
        The columns; their names must differ.
    sparse : SparseBlock, optional
        Further columns, mostly zero, that stay compressed; they come after the others.
    remarks : sequence of str
        What was noticed when the table was read.
    origin : str
        The library the data came from ("pandas", "polars", "pyarrow"), in which `to_frame` gives it back.

    Examples
    --------
    >>> from vaglio import Table
    >>> table = Table.from_any({"size": [1.0, 2.5, None], "colour": ["red", "blue", "red"]})
    >>> table.shape
    (3, 2)
    >>> table[[0, 2]]["colour"].tolist()
    ['red', 'red']
    """

    __slots__ = ("_columns", "_n_rows", "_sparse", "origin", "remarks", "written")

    def __init__(
        self,
        columns: Iterable[Column] = (),
        *,
        sparse: SparseBlock | None = None,
        remarks: Sequence[str] = (),
        origin: str = "",
    ) -> None:
        given = list(columns)
        names = [column.name for column in given] + list(sparse.names if sparse is not None else ())
        refuse_duplicates(names)
        # With half a character (a lone surrogate) in a name no file could be written.
        for name in names:
            if not is_whole_text(name):
                raise InputError(
                    "invalid-column-name",
                    "The column name {name} is not valid Unicode text. Rename the column.",
                    name=ascii(clip(name)),
                )
        lengths = {len(column) for column in given} | ({sparse.matrix.shape[0]} if sparse is not None else set())
        if len(lengths) > 1:
            sizes = listed((text("{column!r} {n:,}", column=column.name, n=len(column)) for column in given), 8)
            raise InputError(
                "columns-of-unequal-length",
                "All columns of a table must have the same number of rows; these have {sizes}.",
                sizes=sizes,
            )
        self._columns = {column.name: column for column in given}
        self._sparse = sparse
        self._n_rows = lengths.pop() if lengths else 0
        self.remarks = tuple(remarks)
        self.origin = origin
        # The cells as a file has them, where they are to be written again.
        self.written: Written | None = None

    @classmethod
    @checked
    def from_any(
        cls,
        source: TableSource,
        *,
        levels: Levels | None = None,
        roles: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Table:
        """Make a Table of a frame, array, sparse matrix, dict of lists or list of dicts, typed by dtype alone.

        Strings, booleans and categoricals are nominal, numbers numeric (also in an object column), dates numeric
        on an interval scale. No value is looked at to choose a type, so that parts of one table agree.

        Parameters
        ----------
        source : object
            pandas, polars, pyarrow or any frame with the Arrow stream interface, NumPy array (also structured),
            SciPy sparse matrix, mapping of columns, list of mappings, or a Table.
        levels, roles : mapping, optional
            Measurement levels and roles by column name, as in :func:`vaglio.read`.
        names : sequence of str, optional
            Names for the columns of an array that has none.
        """
        if isinstance(source, Table):
            table = source
        else:
            from vaglio.table._frames import table_from_any

            table = table_from_any(source, names)
        for column in table._columns.values():
            column.refuse_infinite()
        if not levels and not roles:
            return table
        levels = {table.resolve(name): level for name, level in (levels or {}).items()}
        roles = {table.resolve(name): role for name, role in (roles or {}).items()}
        columns = apply_overrides(list(table._columns.values()), levels, roles)
        return cls(columns, sparse=table.sparse, remarks=table.remarks, origin=table.origin)

    # ---- shape and columns

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return (*self._columns, *(self._sparse.names if self._sparse is not None else ()))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._n_rows, len(self._columns) + (len(self._sparse.names) if self._sparse is not None else 0)

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def sparse(self) -> SparseBlock | None:
        """The compressed columns, or None."""
        return self._sparse

    @property
    def weights(self) -> np.ndarray | None:
        """Values of the column whose role is "weight", or None."""
        found = [column for column in self._columns.values() if column.role == "weight"]
        return found[0].data if found else None

    @property
    def groups(self) -> np.ndarray | None:
        """Number of the group of each row, by the column whose role is "group"; None without.

        A row whose group is missing is a group of its own.
        """
        found = next((column for column in self._columns.values() if column.role == "group"), None)
        if found is None:
            return None
        codes = np.unique(found.data, return_inverse=True)[1].astype(np.int64)
        alone = np.flatnonzero(found.missing)
        codes[alone] = codes.max(initial=0) + 1 + np.arange(len(alone))
        return codes

    @property
    def target(self) -> str | None:
        """Name of the column whose role is "target", or None."""
        return next((name for name, column in self._columns.items() if column.role == "target"), None)

    def __len__(self) -> int:
        return self._n_rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns or (self._sparse is not None and name in self._sparse)

    def column(self, name: str | int) -> Column:
        """Return a column by name, or by position (-1 is the last)."""
        name = self.resolve(name)
        return self._columns[name] if name in self._columns else self._sparse.column(name)  # type: ignore[union-attr]

    def resolve(self, name: str | int) -> str:
        """Return the name of the column with this name or position; if there is none, an error names similar ones."""
        if isinstance(name, str):
            if name in self:
                return name
            raise ColumnError(
                "unknown-column",
                "There is no column {column!r}: {hint}",
                column=name,
                hint=did_you_mean(name, self.columns, quoted=True),
            )
        try:
            at = operator.index(name)
        except TypeError:
            raise ArgumentError(
                "column-type",
                "A column is named by text, or by its position, not by {value} ({type}).",
                value=clip(repr(name), 40),
                type=type(name).__name__,
            ) from None
        if not -self.shape[1] <= at < self.shape[1]:
            raise ColumnError(
                "unknown-column-position",
                "There is no column at position {position}; the table has {n:,} {n:column|columns}.",
                position=at,
                n=self.shape[1],
            )
        return self.columns[at]

    # ---- new tables from this one

    def __getitem__(self, key: object) -> Any:
        """Rows by integers, mask or slice give a Table, names of columns too; a name gives that column's values."""
        if isinstance(key, str):
            return self.column(key).values
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self.select(key)
        if isinstance(key, tuple):
            return self._two_axes(*key)
        return self.take(key)

    def _two_axes(self, rows: Any, columns: Any = ...) -> Any:
        # scikit-learn uses table[rows, ...] and table[:, columns].
        part = self if isinstance(rows, slice) and rows == slice(None) else self.take(rows)
        if columns is Ellipsis:
            return part
        if isinstance(columns, (str, int)):
            return part.column(columns).values
        return part.select(np.asarray(self.columns, dtype=object)[columns].tolist())

    def take(self, rows: Any) -> Table:
        """Return the Table of these rows, in this order."""
        rows = _row_index(rows, self._n_rows)
        kept = [column.take(rows) for column in self._columns.values()]
        block = self._sparse.take(rows) if self._sparse is not None else None
        made = self._with(kept, block)
        made.written = None if self.written is None else self.written.take(rows)
        return made

    @checked
    def select(self, names: Sequence[str | int]) -> Table:
        """Return the Table of these columns, in this order (compressed ones last)."""
        chosen = [self.resolve(name) for name in names]
        kept = [self._columns[name] for name in chosen if name in self._columns]
        block = None
        if self._sparse is not None:
            block = self._sparse.select([name for name in chosen if name in self._sparse])
        return self._with(kept, block)

    @checked
    def drop(self, names: str | int | Sequence[str | int]) -> Table:
        """Return the Table without these columns."""
        gone = {self.resolve(name) for name in ([names] if isinstance(names, (str, int)) else names)}
        return self.select([name for name in self.columns if name not in gone])

    def with_column(self, column: Column) -> Table:
        """Return the Table with this column added, or in place of the column with the same name."""
        if self._sparse is not None and column.name in self._sparse:
            raise ColumnError(
                "sparse-column-replaced",
                "Column {column!r} is part of the sparse block and cannot be replaced.",
                column=column.name,
            )
        return self.with_columns([column])

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """Return the Table in which these columns replace those of the same name, or are added."""
        new = {column.name: column for column in columns}
        return self._with({**self._columns, **new}.values(), self._sparse)

    @checked
    def rename(self, names: Mapping[str, str] | None) -> Table:
        """Return the Table with some columns renamed: name -> new name."""
        if not names:
            return self
        after = dict(zip(self.columns, renamed(self.columns, names)))
        table = self.unpack(names)
        return table._with([each.replace(name=after[each.name]) for each in table._columns.values()], table._sparse)

    @checked
    def with_roles(self, roles: Mapping[str | int, str]) -> Table:
        """Return the Table with the roles of some columns changed."""
        changed = dict(self._columns)
        for name, role in roles.items():
            at = self.resolve(name)
            if at not in changed:
                raise ColumnError(
                    "sparse-column-role",
                    "Column {column!r} is part of the sparse block, whose columns are all inputs.",
                    column=at,
                )
            changed[at] = changed[at].replace(role=role)
        return self._with(changed.values(), self._sparse)

    def with_remarks(self, remarks: Iterable[str]) -> Table:
        """Return the Table with further remarks."""
        return Table(self._columns.values(), sparse=self._sparse, remarks=(*self.remarks, *remarks), origin=self.origin)

    def with_sparse(self, block: SparseBlock | None) -> Table:
        """Return the Table with another compressed block."""
        return self._with(self._columns.values(), block)

    @checked
    def unpack(self, names: Iterable[str]) -> Table:
        """Return the Table with these columns taken out of the compressed block."""
        block = self._sparse
        if block is None:
            return self
        out = [name for name in dict.fromkeys(names) if name in block]
        if not out:
            return self
        rest = block.select([name for name in block.names if name not in set(out)])
        return self._with([*self._columns.values(), *map(block.column, out)], rest)

    def _with(self, columns: Iterable[Column], block: SparseBlock | None) -> Table:
        made = Table(columns, sparse=block, remarks=self.remarks, origin=self.origin)
        made.written = self.written if len(made) == self._n_rows else None
        # Without columns nothing else tells the number of rows.
        if not made.shape[1]:
            made._n_rows = self._n_rows
        return made

    # ---- learning

    @checked
    def labelled(self, target: str | int | None = None) -> Table:
        """Return the rows whose class is known; a remark counts the others."""
        name = self._target_name(target)
        absent = self.column(name).missing
        n_absent = int(np.count_nonzero(absent))
        if not n_absent:
            return self
        remark = Message(
            "rows-without-target",
            "{n:,} {n:row has|rows have} no value in the target {column!r} and {n:is|are} left out.",
            n=n_absent,
            column=name,
        )
        return self.take(~absent).with_remarks([remark])

    @checked
    def xy(self, target: str | int | None = None, *, task: str = "auto") -> tuple[Table, np.ndarray]:
        """Split into the input columns and the target.

        Parameters
        ----------
        target : str or int, optional
            Name or position (-1 is the last column); by default the column whose role is "target".
        task : {"auto", "classification", "regression"}
            Whether to return labels or numbers. "auto" returns numbers only where the values cannot be classes: numbers
            that are not whole, or very many whole ones.

        Returns
        -------
        X : Table
            Input columns of the rows whose target is known; identifiers, groups, weights and ignored columns left out.
        y : ndarray
            Their labels (or numbers).
        """
        name = self._target_name(target)
        known = self.labelled(name)
        if not len(known):
            raise InputError(
                "target-without-values",
                "No row has a value in the target {column!r}. There is nothing to learn from.",
                column=name,
            )
        column = known.column(name)
        of_numbers = decide_task(column, task, able="classification").task == "regression"
        y = numbers(column) if of_numbers else labels(column)
        inputs = [c.name for c in known._columns.values() if c.role == "input" and c.name != name]
        if self._sparse is not None:
            inputs += [item for item in self._sparse.names if item != name]
        return known.select(inputs), y

    @property
    def cell_formats(self) -> dict[str, CellFormat]:
        """How the cells of the inputs and the target are written, as ``like`` of :func:`vaglio.read` takes it."""
        return {
            name: CellFormat.of(column) for name, column in self._columns.items() if column.role in ("input", "target")
        }

    def _target_name(self, target: str | int | None) -> str:
        name = self.target if target is None else target
        if name is None:
            raise ColumnError(
                "target-not-given",
                "Which column is the target? Name one of {columns}.",
                columns=listed(self.columns, quoted=True),
            )
        return self.resolve(name)

    # ---- out of the table

    def to_frame(self) -> Any:
        """Return a frame of the library the data came from, else of pandas."""
        from vaglio.table._frames import table_to_frame

        return table_to_frame(self)

    def to_arrow(self) -> Any:
        """Return a pyarrow Table."""
        from vaglio.table._frames import table_to_arrow

        return table_to_arrow(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise InputError(
                "array-without-copy", "A Table cannot become an array without a copy. Use copy=None or copy=True."
            )
        columns = [self.column(name) for name in self.columns]
        kind = np.float64 if all(column.kind == "numeric" for column in columns) else object
        out = np.empty(self.shape, dtype=kind, order="F")
        for at, column in enumerate(columns):
            out[:, at] = column.data if column.kind == "numeric" else column.values
        return out if dtype is None else out.astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same = self.columns == other.columns and self._n_rows == other._n_rows
        return same and self._columns == other._columns and self._sparse == other._sparse

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def refuse_duplicates(names: Sequence[str], name: str = "") -> None:
    """Raise when a column name appears twice in the file of this name."""
    counts = Counter(names)
    if len(counts) == len(names):
        return
    twice = next(each for each in names if counts[each] > 1)
    places = [at + 1 for at, each in enumerate(names) if each == twice]
    error = ColumnError(
        "duplicate-column",
        "Column {column!r} appears {n:,} times (positions {positions}). Rename all but one.",
        column=clip(twice),
        n=len(places),
        positions=listed(places),
    )
    raise error.at(name) if name else error


def _row_index(rows: Any, n_rows: int) -> Any:
    if isinstance(rows, slice):
        return rows
    with as_own_errors():  # ragged lists
        rows = np.atleast_1d(np.asarray(rows))
    if rows.size == 0:
        return rows.astype(np.intp)
    if rows.dtype == bool and len(rows) != n_rows:
        raise InputError(
            "mask-length", "The mask has {n:,} {n:row|rows}, but the table has {rows:,}.", n=len(rows), rows=n_rows
        )
    if rows.dtype.kind not in "iub":
        raise InputError(
            "row-index-type", "Rows are chosen by integers, a mask or a slice, not by {dtype}.", dtype=rows.dtype
        )
    return rows


def to_text(table: Table, lang: str = "en") -> str:
    """Return the schema as plain text."""
    locale = Locale(lang)
    parts = [locale.text(_title(table)), text_table(_schema(table), locale=locale), *map(locale.text, _rest(table))]
    return "\n".join(filter(None, parts))


def to_html(table: Table, lang: str = "en") -> str:
    """Return the schema as an HTML table."""
    locale = Locale(lang)
    grid = html_table(_schema(table), caption=_title(table), locale=locale)
    return f"<div>{grid or f'<p>{locale.text(_title(table))}</p>'}{bullet_html(_rest(table), locale=locale)}</div>"


def _title(table: Table) -> Message:
    n_rows, n_columns = table.shape
    return text("Table of {rows} and {columns}", rows=plural(n_rows, "row"), columns=plural(n_columns, "column"))


def _rest(table: Table) -> list[Message]:
    hidden = table.shape[1] - _MOST_COLUMNS
    more = [text("… and {n:,} more {n:column|columns}", n=hidden)] if hidden > 0 else []
    return more + [text("note: {remark}", remark=remark) for remark in table.remarks]


def _schema(table: Table) -> list[dict[str, str]]:
    shown = table.columns[:_MOST_COLUMNS]
    return [dict(zip(_HEAD, _describe(table.column(name), len(table)))) for name in shown]


def _describe(column: Column, n_rows: int) -> tuple[str, ...]:
    n_missing = column.n_missing
    share = Number(f"{100 * n_missing / n_rows:.1f}%") if n_missing else "-"
    head = column if n_rows <= _MOST_ROWS else column.take(slice(0, _MOST_ROWS))
    distinct = Number(f"{head.n_distinct:,}" + ("" if n_rows <= _MOST_ROWS else "+"))
    kind = "date" if column.is_date else column.kind
    level = f"{column.level}, asymmetric" if column.asymmetric else column.level
    return column.name, kind, level, head.variety, column.role, share, distinct, _example(head)


def _example(column: Column) -> str:
    if column.kind == "nominal":
        shown = ", ".join(map(str, column.categories[:4]))
        return clip(shown + (", …" if len(column.categories) > 4 else ""), _LONGEST)
    present = np.flatnonzero(~column.missing)
    if not len(present):
        return ""
    first = column.values[present[0]]
    if column.is_date:
        # The time of day only if there is one.
        return str(first).removesuffix("T00:00:00.000000")
    if column.kind == "text":
        return clip(first, _LONGEST)
    return join(" ", [Number(f"{first:g}"), *([column.unit] if column.unit else [])])
