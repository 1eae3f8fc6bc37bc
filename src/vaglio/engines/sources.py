"""Where rows out of core are: X, y and weights of one holder, and everything that depends on who holds them.

An engine is one file: it writes a :class:`Source` (what the rows are, how some of them are taken, how they are read in
chunks), an :class:`~vaglio.engines.engine.Engine` that drives the passes, and a line in :data:`_HOLDERS`, or a call of
:func:`register`. Everything else knows only the two classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from vaglio.errors import InputError, NotSupportedError, as_own_errors
from vaglio.messages.message import text
from vaglio.table import ScannedTable, Table, as_table
from vaglio.table.scanned import Change, Keyed, RowShare, labels, numbers

if TYPE_CHECKING:
    from vaglio.engines.engine import Engine
    from vaglio.runtime.progress import Report
    from vaglio.typing import ColumnLike, TableSource

__all__ = ["Labelled", "Source", "is_out_of_core", "joined", "refuse_out_of_core", "register", "source_of"]

# Inputs, classes (or numbers to predict) and weights of some rows.
Labelled = tuple[Table, np.ndarray, np.ndarray | None]
# Rows that are read at a time, where nothing else limits them.
CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class Source(ABC):
    """X, y and weights that stay where they are.

    Attributes
    ----------
    X : object
        Whatever holds the rows: a ScannedTable, a Dask frame.
    y, weight : object or None
        Columns of the same holder.
    """

    X: Any
    y: Any = None
    weight: Any = None
    # Where the rows are, in words.
    place: ClassVar[str]

    @classmethod
    @abstractmethod
    def of_table(cls, table: Any, target: str) -> Self:
        """Return the columns of a table beside the target, and the target."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def columns(self) -> list[str]:
        """Names of the input columns."""
        return [str(name) for name in self.X.columns]

    @property
    @abstractmethod
    def group(self) -> str | None:
        """Name of the column, of the tables given to a change, whose values tell which rows belong together."""

    @property
    def known_rows(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        return None

    @property
    def target(self) -> str:
        """Name of the target."""
        return str(self.y.name)

    @property
    @abstractmethod
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""

    @abstractmethod
    def example(self) -> Any:
        """Return a few rows of X, which show the columns and their types."""

    @abstractmethod
    def engine(self, regression: bool, threads: int, report: Report) -> Engine:
        """Return the engine that drives passes over these rows; ``regression`` says that y is a number."""

    @abstractmethod
    def tables(self, function: Callable[[Table], Any], rows: int = CHUNK) -> Iterator[Any]:
        """Yield what a picklable function returns for the tables of X that follow each other, none of them empty."""

    @abstractmethod
    def together(self) -> tuple[Self, str, str | None]:
        """Return a source whose X has y and the weights as further columns, and the names of these."""

    @abstractmethod
    def select(self, names: list[str]) -> Self:
        """Return the rows with these input columns only."""

    @abstractmethod
    def taking(self, share: RowShare) -> Self:
        """Return some of the rows, by the hash of their number in the whole table, or by that of their group."""

    @abstractmethod
    def grouped(self, column: Any) -> Self:
        """Return the rows without a column (or its name) whose values tell which of them are taken together."""

    def group_keys(self) -> np.ndarray:
        """Return a number for the group of each row."""
        assert self.group is not None
        keyed, target, _ = self.select([]).changing(Keyed(self.group, self.target)).together()
        found = keyed.tables(partial(_whole_numbers, target))
        return np.concatenate([np.empty(0, np.int64), *found])

    @abstractmethod
    def changing(self, change: Change) -> Self:
        """Return the rows with something changed whenever they are read."""

    @abstractmethod
    def leading(self, share: float) -> Self:
        """Return about this share of the rows, from the beginning, so that the others are not read."""

    @abstractmethod
    def apply(self, function: Callable[[Table], np.ndarray], names: tuple[str, ...], empty: np.ndarray) -> Any:
        """Return what a function gives for each row, in the form of the holder, computed when it is looked at.

        Parameters
        ----------
        function : callable
            From a Table to an array with as many rows.
        names : tuple of str
            Names of the columns of the result.
        empty : ndarray
            The result for no rows.
        """

    def labelled(self, function: Callable[[Labelled], Any], regression: bool = False) -> Iterator[Any]:
        """Yield what a function returns for the rows whose class (or number) is known, chunk by chunk.

        Parameters
        ----------
        function : callable
            From inputs, classes and weights; picklable, because on a cluster it runs where the rows are.
        regression : bool, default=False
            Whether y is a number.
        """
        whole, target, weights = self.together()
        work = partial(_labelled, function, target, weights, regression)
        return (found[0] for found in whole.tables(work) if found)


def _whole_numbers(column: str, table: Table) -> np.ndarray:
    return table.column(column).data.astype(np.int64)


def _labelled(
    function: Callable[[Labelled], Any], target: str, weights: str | None, regression: bool, table: Table
) -> list[Any]:
    rows = np.flatnonzero(~table.column(target).missing)
    if not len(rows):
        return []
    known = table if len(rows) == len(table) else table.take(rows)
    inputs = known.select([name for name in known.columns if name not in (target, weights)])
    true = numbers(known.column(target), whole=False) if regression else labels(known.column(target))
    return [function((inputs, true, None if weights is None else known.column(weights).data))]


def _is_scanned(X: Any) -> bool:
    return isinstance(X, ScannedTable)


def _disk() -> type[Source]:
    from vaglio.engines.disk import ScannedSource

    return ScannedSource


def _is_dask(X: Any) -> bool:
    # Dask need not be installed for the answer no.
    return hasattr(X, "__dask_graph__")


def _dask() -> type[Source]:
    from vaglio.engines.dask import DaskSource

    return DaskSource


# Whether something holds rows out of core, and the source of such rows; engines are imported when they are needed.
_HOLDERS: list[tuple[Callable[[Any], bool], Callable[[], type[Source]]]] = [(_is_scanned, _disk), (_is_dask, _dask)]


def register(holds: Callable[[Any], bool], source: Callable[[], type[Source]]) -> None:
    """Add an engine.

    Parameters
    ----------
    holds : callable
        From any X to whether it holds rows for this engine.
    source : callable
        Returns the class of the source.
    """
    _HOLDERS.append((holds, source))


def is_out_of_core(X: Any) -> bool:
    """Return whether the rows of X are not in memory."""
    return any(holds(X) for holds, _ in _HOLDERS)


def refuse_out_of_core(X: Any, task: str) -> None:
    """Raise an error if the rows of X are not in memory, for a task that looks at single rows.

    Parameters
    ----------
    X : object
    task : str
        What is refused, as the subject of a sentence.
    """
    if is_out_of_core(X):
        raise NotSupportedError(
            "task-needs-rows-in-memory", "{task} needs rows in memory: take some of them, e.g. X.head(100).", task=task
        )


def source_of(X: Any, y: Any = None, weight: Any = None) -> Source:
    """Return the source of rows out of core.

    Parameters
    ----------
    X : ScannedTable, Dask frame, or what another engine holds
    y, weight : columns of the same holder, optional
    """
    for holds, source in _HOLDERS:
        if holds(X):
            return source()(X, y, weight)
    raise InputError("source-in-memory", "X is a {type}, whose rows are in memory.", type=type(X).__name__)


def source_of_table(table: Any, target: str) -> Source:
    """Return the source of a table out of core and the name of its target."""
    return next(source for holds, source in _HOLDERS if holds(table))().of_table(table, target)


def joined(table: TableSource, target: str | int | ColumnLike | None) -> tuple[Any, str | int | None]:
    """Return a table that has its class column, and which column that is.

    A table and the name of its class column are returned as they are. To inputs and labels, the labels are added as a
    column. It keeps the name that they have, unless a column of the inputs has it.

    Parameters
    ----------
    table : table, file, or inputs, wherever the rows are
    target : str, int, labels or None
        None is the target that the table has.
    """
    if target is None or isinstance(target, (str, Integral)):
        return table, target
    if is_out_of_core(table):
        whole, name, _ = source_of(table, target).together()
        return whole.X, name
    inputs = as_table(table, finite=False)
    given = getattr(target, "name", None)
    names = ([given] if isinstance(given, str) else []) + ["class", "target", "class of the row"]
    name = next((name for name in names if name not in inputs), f"class {inputs.shape[1]}")
    with as_own_errors():
        labels = as_table({name: target}, finite=False).column(name)
    if len(labels) != len(inputs):
        raise InputError(
            "row-counts-differ",
            "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
            first=text("the table"),
            n=len(inputs),
            second=text("the target"),
            m=len(labels),
        )
    return inputs.with_column(labels), name
