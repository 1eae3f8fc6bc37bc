"""A typed column: numbers, category codes or text, with a measurement level and a role; and its values as a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from vaglio import _core
from vaglio.errors import InputError
from vaglio.messages.figures import moment
from vaglio.messages.message import Option, text
from vaglio.messages.options import as_missing, as_nominal
from vaglio.messages.sentences import listed

if TYPE_CHECKING:  # a cell format reads columns
    from vaglio.table._cell_format import CellFormat

Kind = Literal["numeric", "nominal", "text"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Role = Literal["input", "target", "identifier", "ignored", "weight", "group"]

_ALLOWED = {"kind": get_args(Kind), "level": get_args(Level), "role": get_args(Role)}

MICROSECONDS_PER_DAY = 86_400_000_000
# Up to this number float64 holds each whole number; beyond it, some are skipped.
EXACT = 2**53
_STORED_AS = {"numeric": np.float64, "nominal": np.int32, "text": np.object_}
# Whole numbers with more distinct values are a quantity, not a class.
MOST_NUMERIC_CLASSES = 100


# What messages call the kinds of columns.
KIND_WORDS = {
    "numeric": text("numeric"),
    "nominal": text("nominal"),
    "ordinal": text("ordinal"),
    "text": text("text"),
    "date": text("date"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A named column of a :class:`~vaglio.Table`. It is never changed in place; its array is read-only.

    Attributes
    ----------
    name : str
    kind : {"numeric", "nominal", "text"}
    data : ndarray
        float64 with NaN for missing (numeric; dates count days since 1970), int32 codes into `categories` with
        -1 for missing (nominal), or objects, str or None (text).
    level : {"nominal", "ordinal", "interval", "ratio"}
        What may be computed with the values. A nominal column of the ordinal level has its categories in order.
    role : {"input", "target", "identifier", "ignored", "weight", "group"}
        What the column is used for.
    categories : tuple
        Values of a nominal column: str, int, float or bool.
    declared : bool
        The source declared the categories (ARFF, categorical dtype): those that no row has are known, too.
    asymmetric : bool
        Only presence counts, as for the items of a basket.
    is_date : bool
        The numbers are days since 1970.
    storage : pyarrow.DataType or None
        The type of the values in the source; `Table.to_frame` gives it back.
    unit : str
        The unit that the cells of the source name, such as "kg", "€" or "%"; "" if they name none.
    unread : Column or None
        The cells of the source that are no numbers (or dates), as words; missing wherever the cell was read. In `data`
        they are missing.
    cell_format : CellFormat or None
        How the cells are written, by which later rows are read; None if nothing had to be decided.
    exact : Column or None
        The whole numbers of the source as categories, if some are beyond 2**53, where float64 skips numbers. `data` has
        the nearest ones; what is written has all digits.

    Examples
    --------
    >>> from vaglio.table import Column
    >>> size = Column.nominal("size", [0, 2, -1], ("small", "medium", "large"), level="ordinal")
    >>> size.values.tolist()
    ['small', 'large', None]
    """

    name: str
    kind: Kind
    data: np.ndarray
    level: Level = "nominal"
    role: Role = "input"
    categories: tuple[Any, ...] = ()
    declared: bool = False
    asymmetric: bool = False
    is_date: bool = False
    storage: Any = None
    unit: str = ""
    unread: Column | None = None
    cell_format: CellFormat | None = None
    exact: Column | None = None

    def __post_init__(self) -> None:
        for what, allowed in _ALLOWED.items():
            value = getattr(self, what)
            if value not in allowed:
                raise InputError(
                    "column-attribute-unknown",
                    "Column {column!r}: {attribute} must be {allowed}, not {value!r}.",
                    column=self.name,
                    attribute=what,
                    allowed=listed(allowed, last="or"),
                    value=value,
                )
        data: np.ndarray = np.asarray(self.data, dtype=_STORED_AS[self.kind]).view()
        if data.ndim != 1:
            raise InputError(
                "column-not-flat",
                "Column {column!r} has {dimensions} dimensions. Give one value per row.",
                column=self.name,
                dimensions=data.ndim,
            )
        data.flags.writeable = False
        object.__setattr__(self, "data", data)

    @classmethod
    def numeric(cls, name: str, values: Any, *, level: Level = "ratio", **more: Any) -> Column:
        """Make a column of numbers.

        Parameters
        ----------
        name : str
        values : array-like
            NaN is missing.
        level : {"ratio", "interval"}, default="ratio"
        **more
            Further attributes of the column.
        """
        return cls(name, "numeric", np.asarray(values, dtype=np.float64), level=level, **more)

    @classmethod
    def nominal(cls, name: str, codes: Any, categories: Sequence[Any], **more: Any) -> Column:
        """Make a column of categories.

        Parameters
        ----------
        name : str
        codes : array-like of int
            Positions in `categories`; -1 is missing.
        categories : sequence
            str, int, float or bool.
        **more
            Further attributes of the column.
        """
        codes = np.asarray(codes, dtype=np.int32)
        if codes.size and (codes.min() < -1 or codes.max() >= len(categories)):
            raise InputError(
                "category-code-out-of-range",
                "Column {column!r}: codes must be between -1 and {last}.",
                column=name,
                last=len(categories) - 1,
            )
        return cls(name, "nominal", codes, categories=tuple(categories), **more)

    @classmethod
    def text(cls, name: str, values: Sequence[Any], **more: Any) -> Column:
        """Make a column of free text.

        Parameters
        ----------
        name : str
        values : sequence of str or None
            None is missing.
        **more
            Further attributes of the column.
        """
        data = np.empty(len(values), dtype=object)
        data[:] = values
        return cls(name, "text", data, **more)

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        same = attrgetter("name", "kind", "level", "role", "asymmetric", "is_date")
        # 1 == True == 1.0 in Python, but they are different categories.
        if same(self) != same(other) or [*map(type, self.categories)] != [*map(type, other.categories)]:
            return False
        if self.exact is not None or other.exact is not None:
            return self.exact == other.exact
        equal_nan = self.kind == "numeric"
        return self.categories == other.categories and np.array_equal(self.data, other.data, equal_nan=equal_nan)

    __hash__ = None  # type: ignore[assignment]

    # The default protocol of pickle sets attributes, which a frozen dataclass with slots refuses.
    def __reduce__(self) -> tuple[type[Column], tuple[Any, ...]]:
        return Column, tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    @property
    def missing(self) -> np.ndarray:
        """True where the value is missing."""
        if self.kind != "text":
            absent: np.ndarray = np.isnan(self.data) if self.kind == "numeric" else self.data < 0
            return absent
        return np.fromiter((value is None for value in self.data), dtype=bool, count=len(self.data))

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.missing))

    @property
    def n_distinct(self) -> int:
        """Number of distinct values present."""
        if self.kind == "nominal":
            codes = np.ascontiguousarray(self.data)
            return int(np.count_nonzero(_core.count_codes(codes, len(self.categories))[1:]))
        if self.exact is not None:
            return self.exact.n_distinct
        if self.kind == "numeric":
            return len(np.unique(self.data[~np.isnan(self.data)]))
        return len(set(self.data.tolist()) - {None})

    @property
    def variety(self) -> str:
        """What values there can be: "binary", "discrete" (categories, whole numbers), "continuous"; "" for text."""
        if self.kind == "text":
            return ""
        if self.kind == "nominal":
            return "binary" if len(self.categories) == 2 else "discrete"
        present = self.data[~np.isnan(self.data)]
        # Two values among the first show whether the others can be two.
        if len(np.unique(present[:1000])) <= 2 and len(np.unique(present)) == 2:
            return "binary"
        return "discrete" if np.array_equal(present, np.floor(present)) else "continuous"

    @property
    def values(self) -> np.ndarray:
        """The values in their own types: numbers, dates (datetime64), the categories themselves, or text."""
        if self.is_date:
            return days_to_datetime(self.data)
        if self.kind != "nominal":
            return self.data
        lookup = np.empty(len(self.categories) + 1, dtype=object)
        lookup[: len(self.categories)] = self.categories
        lookup[-1] = None  # the code -1 of a missing value finds the last entry
        found: np.ndarray = lookup[self.data]
        return found

    @property
    def infinite(self) -> np.ndarray:
        """Rows in which the number is infinite."""
        if self.kind != "numeric":
            return np.empty(0, dtype=np.int64)
        # One sum is enough for nearly every column: it is finite unless a number is infinite or missing.
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(self.data.sum())
        return np.empty(0, dtype=np.int64) if finite else np.flatnonzero(np.isinf(self.data))

    def refuse_infinite(self) -> None:
        """Raise an error that names the first infinite number."""
        infinite = self.infinite
        if len(infinite):
            raise InputError(
                "infinite-number",
                "Column {column!r} has an infinite number in row {row:,}. Replace it, or leave the cell empty.",
                column=self.name,
                row=int(infinite[0]) + 1,
            )

    def without_infinite(self) -> Column:
        """Return the column in which infinite numbers are missing, and are kept among the unread cells."""
        infinite = self.infinite
        if not len(infinite):
            return self
        codes = np.full(len(self), -1, dtype=np.int32)
        codes[infinite] = self.data[infinite] > 0
        data = self.data.copy()
        data[infinite] = np.nan
        return self.replace(data=data, unread=Column.nominal(self.name, codes, ("-inf", "inf")))

    def take(self, rows: Any) -> Column:
        """Return the column of these rows, given as integers, mask or slice."""
        unread = None if self.unread is None else self.unread.take(rows)
        exact = None if self.exact is None else self.exact.take(rows)
        return dataclasses.replace(self, data=self.data[rows], unread=unread, exact=exact)

    def replace(self, **changes: Any) -> Column:
        """Return a column with some attributes changed; other numbers are no longer those of the source."""
        if "data" in changes:
            changes.setdefault("exact", None)
        return dataclasses.replace(self, **changes)


def days_to_datetime(days: np.ndarray) -> np.ndarray:
    """Return days since 1970 as datetime64, to the microsecond; NaN becomes NaT."""
    # The day of today as float64 is exact to less than a microsecond, so rounding gives back what was stored.
    micros = np.full(days.shape, np.datetime64("NaT", "us"))
    present = ~np.isnan(days)
    whole = np.floor(days[present])
    rest = np.rint((days[present] - whole) * MICROSECONDS_PER_DAY)
    micros[present] = (whole.astype(np.int64) * MICROSECONDS_PER_DAY + rest.astype(np.int64)).view("M8[us]")
    return micros


def labels(column: Column) -> np.ndarray:
    """Return the class of each row; no value may be missing.

    The classes may be whole numbers, with at most `MOST_NUMERIC_CLASSES` distinct values.
    """
    if column.kind == "text":
        words: np.ndarray = column.data.astype(str)
        return words
    if column.kind == "nominal":
        found: np.ndarray = _as_array(column.categories)[column.data]
        return found
    whole = column.data.astype(np.int64)
    n_distinct = column.n_distinct
    if column.is_date or np.any(whole != column.data) or n_distinct > MOST_NUMERIC_CLASSES:
        problem = (
            text(
                "The target {column!r} holds {n:,} distinct dates, such as {example}.",
                column=column.name,
                n=n_distinct,
                example=moment(float(column.data[0])),
            )
            if column.is_date
            else text(
                "The target {column!r} is continuous ({n:,} distinct numbers, such as {example:g}).",
                column=column.name,
                n=n_distinct,
                example=column.data[0],
            )
        )
        raise InputError(
            "continuous-target",
            "{problem} {advice}",
            problem=problem,
            advice=text(
                "Choose another column, predict numbers ({task}), or declare the target nominal ({nominal}).",
                task=Option("task", "regression"),
                nominal=as_nominal(column.name),
            ),
        )
    return whole


def numbers(column: Column, *, whole: bool = True) -> np.ndarray:
    """Return the number of each row, for regression; NaN where it is missing.

    Categories that are numbers, or words of one meaning for numbers, are the numbers that they write.

    Parameters
    ----------
    column : Column
    whole : bool, default=True
        Whether these are all rows of a table, so that an error may name the row.
    """
    if column.kind == "numeric":
        return column.data
    from vaglio.table._cell_format import CellFormat
    from vaglio.table._convert import as_nominal as in_categories

    column = in_categories(column)
    unit = unit_of_words(column.categories)
    values = _as_numbers(column.categories, unit)
    wrong = np.flatnonzero(np.append(np.isnan(values), False)[column.data])
    if len(wrong):
        cell = column.categories[column.data[wrong[0]]]
        raise InputError(
            "target-not-numeric",
            "The target {column!r} has {cell!r}{where}; expected a number.{why} Correct the value, make it missing "
            "({missing}), or predict classes ({task}).",
            column=column.name,
            cell=cell,
            where=text(" in row {row:,}", row=int(wrong[0]) + 1) if whole else "",
            why=CellFormat(unit=unit).why(str(cell)),
            missing=as_missing(str(cell)),
            task=Option("task", "classification"),
        )
    found: np.ndarray = np.append(values, np.nan)[column.data]
    return found


def unit_of_words(categories: Sequence[Any]) -> str:
    """Return the unit of the numbers that categories write; "" if they have none.

    Parameters
    ----------
    categories : sequence
    """
    from vaglio.table._numerals import read_numerals

    words = [str(value).strip() for value in categories]
    return read_numerals(words, np.ones(len(words))).unit


def _as_numbers(categories: tuple[Any, ...], unit: str) -> np.ndarray:
    """Return what the categories write as numbers in a unit, NaN for what is not finite or has two meanings.

    Each word is read by itself: the others of another table would change what it means.
    """
    from vaglio.table._numerals import numbers_like

    values = numbers_like([str(value).strip() for value in categories], "", unit)
    values[[isinstance(value, (bool, np.bool_)) for value in categories]] = np.nan
    return values


def _as_array(categories: tuple[Any, ...]) -> np.ndarray:
    """Return the categories with the dtype they have in common; as objects if 1 and "1" would become equal."""
    kinds = set(map(type, categories))
    if kinds == {str}:
        return np.array(categories, dtype=np.str_)
    if len(kinds) == 1 or kinds == {int, float}:
        return np.array(categories)
    out = np.empty(len(categories), dtype=object)
    out[:] = categories
    return out
