"""The table under audit with the facts that several checks share, each computed once; and the finding of a check."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.messages.message import Message, Option, text
from vaglio.quality.profile import SAMPLE_ROWS, Profile, distinct_codes, profile_column, sample_rows
from vaglio.table import Column, Table, decide_task, names_a_row

__all__ = [
    "MAX_LISTED",
    "SEVERITIES",
    "SEVERITY_WORDS",
    "Context",
    "Finding",
    "cleaning_choice",
    "listed_rows",
    "sample_note",
]

# High: a model would be wrong or useless. Medium: it may be misled. Low: good to know.
SEVERITIES = ("high", "medium", "low")
# What a person reads for it.
SEVERITY_WORDS = {"high": text("serious"), "medium": text("to check"), "low": text("for information")}
# A finding lists this many of its rows and counts the rest, so that an audit of a large table stays small.
MAX_LISTED = 1000
# Below these, starting threads costs more than sorting.
_MANY_ROWS = 100_000
# In a smaller table all values of an ordinary column may differ by chance.
_FEWEST_NAMED_ROWS = 20


def listed_rows(mask_or_rows: np.ndarray) -> np.ndarray:
    """Return the first row numbers of a mask or of an array of row numbers."""
    if mask_or_rows.dtype == bool:
        mask_or_rows = np.flatnonzero(mask_or_rows)
    return mask_or_rows[:MAX_LISTED].astype(np.int64)


def severity_count(severity: str, n: int) -> Message:
    """Return how many findings are of a severity."""
    if severity == "high":
        return text("{n:,} serious", n=n)
    return text("{n:,} to check", n=n) if severity == "medium" else text("{n:,} for information", n=n)


def cleaning_choice(name: str, choice: str) -> Option:
    """Return how the reader asks for a choice of :class:`~vaglio.quality.Policy`."""
    return Option(f"clean({name}='{choice}')", flag=f"--clean FILE --set {name}={choice}")


def sample_note(n: int, total: int) -> str:
    """Return what a finding adds to its message if it was made on a sample; empty if all rows were checked."""
    return text(" (in a sample of {n:,} rows)", n=n) if n < total else ""


@dataclass(frozen=True)
class Finding:
    """What was found, where, its severity, and what to do.

    Attributes
    ----------
    kind : str
        A short name, the same for every finding of a check.
    severity : {"high", "medium", "low"}
    message : Message
        What was found: a sentence with its code and values.
    advice : Message
        What to do.
    columns : tuple of str
        The columns concerned.
    rows : ndarray
        The first rows concerned (at most 1000), counted from 0.
    n_rows : int
        The number of rows concerned.
    details : mapping
        Further facts, as plain data.
    """

    kind: str
    severity: str
    message: Message
    advice: Message
    columns: tuple[str, ...] = ()
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    n_rows: int = 0
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "rows": self.rows[:20].tolist(),
            "message": str(self.message),
            "code": self.message.code,
            "values": self.message.as_data()["values"],
            "advice": str(self.advice),
            "details": dict(self.details),
        }


@dataclass(frozen=True, eq=False)
class Context:
    """A table, its class column, and facts about its columns.

    Attributes
    ----------
    table : Table
    target : str or None
        The column to predict.
    task : {"auto", "classification", "regression"}
        Whether it has classes or numbers; by default its values decide.
    rules : mapping
        Column -> what values it may have.
    reference : Table or None
        The table that this one is compared with.
    seed : int
        Seed of the samples.
    n_jobs : int
        Threads.
    """

    table: Table
    target: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    reference: Table | None = None
    seed: int = 0
    n_jobs: int = 1
    task: str = "auto"

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Columns that are checked one by one; those of a sparse block are only counted."""
        hidden = set(self.table.sparse.names) if self.table.sparse is not None else set()
        return {name: self.table.column(name) for name in self.table.columns if name not in hidden}

    @cached_property
    def packed(self) -> list[Column]:
        """The content of the sparse block as one column with a value per different row; none without a block."""
        block = self.table.sparse
        if block is None:
            return []
        codes = block.row_codes()
        return [Column.nominal("(items)", codes, range(int(codes.max(initial=-1)) + 1))]

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """The profile of each of these columns."""
        columns = list(self.columns.values())
        if self.n_jobs > 1 and len(self.table) > _MANY_ROWS:
            # NumPy sorts without the interpreter lock, so threads help.
            with ThreadPoolExecutor(self.n_jobs) as pool:
                found = list(pool.map(profile_column, columns))
        else:
            found = [profile_column(column) for column in columns]
        return {profile.name: profile for profile in found}

    @cached_property
    def inputs(self) -> list[str]:
        """Columns a model would learn from."""
        return [name for name, column in self.columns.items() if column.role == "input" and name != self.target]

    @cached_property
    def identifiers(self) -> list[str]:
        """Columns that name the row: declared as identifiers, or almost without repeated values."""
        return [name for name in self.columns if name != self.target and self._names_rows(name)]

    def _names_rows(self, name: str) -> bool:
        role = self.profiles[name].role
        return role == "identifier" or (role == "input" and self.differs_in_rows(name))

    def differs_in_rows(self, name: str) -> bool:
        """Return whether the values of a column name the row, whatever its role: a table that was read has declared it.

        Parameters
        ----------
        name : str
        """
        profile = self.profiles[name]
        if profile.n_present < _FEWEST_NAMED_ROWS:
            return False
        if profile.kind == "text":
            # Two texts are seldom equal, and yet a text is not the name of its row.
            return False
        if profile.kind == "nominal":
            return profile.n_distinct >= 0.95 * profile.n_present
        if profile.quantiles is None or not profile.whole:
            return False
        if names_a_row(name) and profile.n_distinct >= 0.95 * profile.n_present:
            return True
        if profile.n_distinct < profile.n_present:
            return False
        # The numbers 1, 2, 3 … n, in any order and with few gaps.
        return profile.quantiles[4] - profile.quantiles[0] < 1.5 * profile.n_present

    @cached_property
    def sample(self) -> np.ndarray:
        """Row numbers for the checks that compare every column with the target; all rows of a small table."""
        return sample_rows(np.arange(len(self.table)), SAMPLE_ROWS, self.seed)

    @property
    def sampled(self) -> str:
        """What a finding adds to its message if it was made on a sample; empty if all rows were checked."""
        return sample_note(len(self.sample), len(self.table))

    @property
    def predicts_numbers(self) -> bool:
        """Whether there is a target, and it has numbers."""
        return self.numbers is not None

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """The numbers to predict (NaN is missing); None without a target, or with one of classes."""
        if self.target is None or decide_task(self.columns[self.target], self.task).task == "classification":
            return None
        column = self.columns[self.target]
        if column.kind == "numeric":
            values: np.ndarray = column.data
            return values
        found = np.full(len(column), np.nan)
        found[~column.missing] = self.table.select([self.target]).xy(self.target, task="regression")[1]
        return found

    @cached_property
    def target_codes(self) -> np.ndarray | None:
        """A code per different value of the target, classes or numbers (−1 is missing); None without a target."""
        if self.classes is not None:
            return self.classes[0]
        return None if self.numbers is None else distinct_codes(self.numbers, np.isnan(self.numbers))[0]

    @cached_property
    def classes(self) -> tuple[np.ndarray, tuple[Any, ...]] | None:
        """Class codes (−1 is missing) and labels; None without a target of classes."""
        if self.target is None or self.predicts_numbers:
            return None
        column = self.columns[self.target]
        if column.kind == "nominal":
            return column.data, column.categories
        codes, labels = distinct_codes(column.data, column.missing)
        return codes, tuple(labels.tolist())
