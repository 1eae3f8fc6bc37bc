"""One typed column: values as numbers, category codes or text, with its measurement level and role."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from vaglio.errors import InputError

Kind = Literal["numeric", "nominal", "text"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Role = Literal["input", "target", "identifier", "ignored", "weight"]

KINDS = ("numeric", "nominal", "text")
LEVELS = ("nominal", "ordinal", "interval", "ratio")
ROLES = ("input", "target", "identifier", "ignored", "weight")

MICROSECONDS_A_DAY = 86_400_000_000
_STORED_AS = {"numeric": np.float64, "nominal": np.int32, "text": np.object_}


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A named column of a :class:`~vaglio.Table`. Never changed in place; its array is read-only.

    Attributes
    ----------
    name : str
    kind : {"numeric", "nominal", "text"}
    data : ndarray
        float64 with NaN for missing (numeric; dates count days since 1970), int32 codes into `categories` with
        -1 for missing (nominal), or objects, str or None (text).
    level : {"nominal", "ordinal", "interval", "ratio"}
        What may be computed with the values. An ordinal nominal column has its categories in order.
    role : {"input", "target", "identifier", "ignored", "weight"}
    categories : tuple
        Values of a nominal column: str, int, float or bool.
    declared : bool
        The source declared the categories (ARFF, categorical dtype), so that unseen ones are known too.
    asymmetric : bool
        Only presence counts, as with the items of a basket.
    is_date : bool
    storage : pyarrow.DataType or None
        How the source held the values; `Table.to_frame` gives them back that way.

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
    categories: tuple = ()
    declared: bool = False
    asymmetric: bool = False
    is_date: bool = False
    storage: Any = None

    def __post_init__(self) -> None:
        for what, value, allowed in (("kind", self.kind, KINDS), ("level", self.level, LEVELS)):
            if value not in allowed:
                raise InputError(f"column {self.name!r}: {what} is one of {', '.join(allowed)}, not {value!r}.")
        if self.role not in ROLES:
            raise InputError(f"column {self.name!r}: role is one of {', '.join(ROLES)}, not {self.role!r}.")
        data: np.ndarray = np.asarray(self.data, dtype=_STORED_AS[self.kind]).view()
        if data.ndim != 1:
            raise InputError(f"column {self.name!r}: its values form {data.ndim} dimensions, give a flat list.")
        data.flags.writeable = False
        object.__setattr__(self, "data", data)

    @classmethod
    def numeric(cls, name: str, values: Any, *, level: Level = "ratio", **more: Any) -> Column:
        """Make a column of numbers."""
        return cls(name, "numeric", np.asarray(values, dtype=np.float64), level=level, **more)

    @classmethod
    def nominal(cls, name: str, codes: Any, categories: Sequence, **more: Any) -> Column:
        """Make a column of category codes; -1 is missing."""
        codes = np.asarray(codes, dtype=np.int32)
        if codes.size and (codes.min() < -1 or codes.max() >= len(categories)):
            raise InputError(f"column {name!r}: codes must lie between -1 and {len(categories) - 1}.")
        return cls(name, "nominal", codes, categories=tuple(categories), **more)

    @classmethod
    def text(cls, name: str, values: Sequence, **more: Any) -> Column:
        """Make a column of free text; None is missing."""
        data = np.empty(len(values), dtype=object)
        data[:] = values
        return cls(name, "text", data, **more)

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        mine = (self.name, self.kind, self.level, self.role, self.asymmetric, self.is_date, len(self))
        theirs = (
            other.name,
            other.kind,
            other.level,
            other.role,
            other.asymmetric,
            other.is_date,
            len(other),
        )
        if mine != theirs or [*map(type, self.categories)] != [*map(type, other.categories)]:
            return False
        equal_nan = self.kind == "numeric"
        return self.categories == other.categories and np.array_equal(self.data, other.data, equal_nan=equal_nan)

    __hash__ = None  # type: ignore[assignment]

    # Frozen slots without __setattr__ cannot be restored by the default protocol.
    def __reduce__(self) -> tuple:
        return Column, tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    @property
    def missing(self) -> np.ndarray:
        """True where the value is missing."""
        if self.kind == "numeric":
            return np.isnan(self.data)
        if self.kind == "nominal":
            return self.data < 0
        return np.fromiter((value is None for value in self.data), dtype=bool, count=len(self.data))

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.missing))

    @property
    def n_distinct(self) -> int:
        """Number of distinct values present."""
        if self.kind == "nominal":
            return int(np.count_nonzero(np.bincount(self.data + 1, minlength=1)[1:]))
        if self.kind == "numeric":
            return len(np.unique(self.data[~np.isnan(self.data)]))
        return len(set(self.data.tolist()) - {None})

    @property
    def values(self) -> np.ndarray:
        """The values as a person reads them: numbers, dates (datetime64), or the categories themselves."""
        if self.is_date:
            return days_to_datetime(self.data)
        if self.kind != "nominal":
            return self.data
        lookup = np.empty(len(self.categories) + 1, dtype=object)
        lookup[: len(self.categories)] = self.categories
        lookup[-1] = None
        return lookup[self.data]

    def take(self, rows: Any) -> Column:
        """Give the column of these rows: integers, mask or slice."""
        return dataclasses.replace(self, data=self.data[rows])

    def replace(self, **changes: Any) -> Column:
        """Give a column with some attributes changed."""
        return dataclasses.replace(self, **changes)


def days_to_datetime(days: np.ndarray) -> np.ndarray:
    """Turn days since 1970 into datetime64, to the microsecond; NaN becomes NaT."""
    # float64 days resolve about a third of a microsecond today, so rounding gives back what was stored.
    micros = np.full(days.shape, np.datetime64("NaT", "us"))
    present = ~np.isnan(days)
    whole = np.floor(days[present])
    rest = np.rint((days[present] - whole) * MICROSECONDS_A_DAY)
    micros[present] = (whole.astype(np.int64) * MICROSECONDS_A_DAY + rest.astype(np.int64)).view("M8[us]")
    return micros
