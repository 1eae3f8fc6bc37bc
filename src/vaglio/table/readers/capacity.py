"""How large a table file may be. A file beyond a limit is refused before memory is asked for its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

from vaglio.errors import InputError, ReadError
from vaglio.messages.message import Option
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.runtime.memory import usable_memory
from vaglio.table._column import Column

# Bytes that one cell needs at most while a table is read: its number in Arrow and in the column, and one copy.
_PER_CELL = 32
# Bytes that one column needs whatever its length: names, types and arrays in Arrow and here.
_PER_COLUMN = 1 << 14
# The share of memory for the unpacked bytes of a file: decoded text and columns come on top of them.
_SHARE_OF_BYTES = 4


@dataclass(frozen=True)
class Limits:
    """What a table file may hold at most. Memory means what the machine, the container or the process may use.

    Attributes
    ----------
    cells : int
        Rows times columns; by default one per 32 bytes of memory. A column that stays compressed does not count.
    columns : int
        By default 1,048,576, or one per 16 kB of memory if that is less.
    cell_length : int
        Characters of one cell; by default 16,777,216.
    bytes : int
        Bytes of a gzip file, a spreadsheet, a compressed Arrow or Parquet file once it is unpacked, and of a pipe; by
        default a quarter of memory. A file that is not compressed may be of any size.
    nesting : int
        Depth of brackets in JSON; by default 100.
    digits : int
        Digits of one number in JSON; by default 4,300.
    """

    cells: int = field(default_factory=lambda: usable_memory() // _PER_CELL)
    columns: int = field(default_factory=lambda: min(1 << 20, usable_memory() // _PER_COLUMN))
    cell_length: int = 1 << 24
    bytes: int = field(default_factory=lambda: usable_memory() // _SHARE_OF_BYTES)
    nesting: int = 100
    digits: int = 4300

    @classmethod
    def given(cls, limits: Mapping[str, Any] | Limits | None) -> Limits:
        """Return the limits, some of them chosen by the user.

        Parameters
        ----------
        limits : mapping, Limits or None
            Name of a limit -> its value; the others keep their default.
        """
        if isinstance(limits, Limits):
            return limits
        if not isinstance(limits, (Mapping, type(None))):
            raise InputError(
                "limits-mapping-names-numbers",
                "limits is a mapping of names to numbers, not {limits!r}.",
                limits=limits,
            )
        chosen = {str(name): value for name, value in (limits or {}).items()}
        for name, value in chosen.items():
            if name not in LIMITS:
                raise InputError(
                    "there-limit",
                    "there is no limit {name!r}; {hint}",
                    name=name,
                    hint=did_you_mean(name, LIMITS, quoted=True),
                )
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(
                    "limit-whole-number-above",
                    "the limit {name!r} is a whole number above zero, not {value!r}.",
                    name=name,
                    value=value,
                )
        return cls(**chosen)

    def check_shape(self, name: str, rows: int, columns: int) -> None:
        """Refuse a table of more cells or columns than allowed.

        Parameters
        ----------
        name : str
            Name of the file.
        rows, columns : int
            What the file holds, or says that it holds.
        """
        if columns > self.columns:
            self.refuse("columns", f"{name} has {columns:,} columns", columns)
        if rows * columns > self.cells:
            has = f"{name} has {rows:,} rows and {columns:,} columns, which are {rows * columns:,} cells"
            self.refuse("cells", has, rows * columns)

    def check_bytes(self, name: str, size: int, *, at_least: bool = False) -> None:
        """Refuse more unpacked bytes than allowed.

        Parameters
        ----------
        name : str
            Name of the file.
        size : int
            Bytes that unpacking makes.
        at_least : bool
            Unpacking stopped here, so there may be more.
        """
        if size > self.bytes:
            more = "at least " if at_least else ""
            self.refuse("bytes", f"{name} unpacks to {more}{size:,} bytes", 2 * size if at_least else size)

    def check_words(self, name: str, columns: Iterable[Column]) -> None:
        """Refuse a cell that is too long.

        Parameters
        ----------
        name : str
            Name of the file.
        columns : iterable of Column
        """
        for column in columns:
            words = column.data if column.kind == "text" else column.categories
            longest = max((len(word) for word in words if isinstance(word, str)), default=0)
            if longest > self.cell_length:
                has = f"{name}, column {clip(column.name)!r}, has a cell of {longest:,} characters"
                self.refuse("cell_length", has, longest)

    def refuse(self, limit: str, found: str, enough: int) -> NoReturn:
        """Raise the error that names a limit, its value, and how to raise it.

        Parameters
        ----------
        limit : str
            Name of the limit.
        found : str
            The beginning of the sentence: what the file holds.
        enough : int
            A value of the limit at which the file would pass.
        """
        raise ReadError(
            "limit-exceeded",
            "{found}, more than the limit {limit} = {most:,}. If you trust the file, raise the limit ({option}).",
            found=found,
            limit=limit,
            most=getattr(self, limit),
            option=Option("limits", {limit: enough}, flag=f"--read limit_{limit}={enough}"),
        )


LIMITS = tuple(each.name for each in fields(Limits))
