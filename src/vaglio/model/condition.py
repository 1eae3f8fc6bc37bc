"""What a rule tests in one row: a range, a set of categories, a linear combination, or that a value be missing.

Every condition also says with which share a row matches *when the value is missing*: 0 never (the rule learners), 1
always (a learned direction), in between a fraction of the row's weight (C4.5). Merging two conditions on one column
intersects what they accept and multiplies their shares, which is what walking down two nodes of a tree does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix, Feature

__all__ = [
    "Condition",
    "LinearCondition",
    "Merged",
    "MissingCondition",
    "RangeCondition",
    "SetCondition",
    "finish_merge",
    "merge_conditions",
    "merged_with",
]


@dataclass(frozen=True)
class RangeCondition:
    """``low < x <= high`` on a numeric or ordinal column, each end open or closed; an infinite end is no bound.

    On an ordinal column the ends are ranks and are brought to ``x > k`` and ``x <= k`` with whole k, so that
    equal conditions are written alike.

    Attributes
    ----------
    column : int
    feature : Feature
    low, high : float
    low_closed, high_closed : bool
    missing : float
        Share of the weight of a row whose value is missing.
    """

    column: int
    feature: Feature
    low: float = -math.inf
    high: float = math.inf
    low_closed: bool = False
    high_closed: bool = True
    missing: float = 0.0

    def __post_init__(self) -> None:
        low, high, low_closed, high_closed = self.low, self.high, self.low_closed, self.high_closed
        if self.feature.kind == "ordinal":
            if math.isfinite(low):
                low = math.ceil(low) - 1.0 if low_closed else float(math.floor(low))
            if math.isfinite(high):
                high = float(math.floor(high)) if high_closed else math.ceil(high) - 1.0
            low_closed, high_closed = False, True
        set_field = object.__setattr__
        set_field(self, "low", float(low))
        set_field(self, "high", float(high))
        set_field(self, "low_closed", bool(low_closed) and math.isfinite(low))
        set_field(self, "high_closed", bool(high_closed) or not math.isfinite(high))

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    @property
    def is_vacuous(self) -> bool:
        """Whether every known value is accepted."""
        return self.low == -math.inf and self.high == math.inf

    @property
    def is_empty(self) -> bool:
        """Whether no known value is accepted."""
        return self.low > self.high or (self.low == self.high and not (self.low_closed and self.high_closed))

    def match(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the share of each encoded row that meets the condition: 0, 1, or between for a missing value."""
        x = matrix.numeric_columns[:, matrix.position[self.column]]
        known = ~np.isnan(x) if self.is_vacuous else np.ones(len(x), dtype=bool)
        if self.low != -math.inf:
            known &= x >= self.low if self.low_closed else x > self.low
        if self.high != math.inf:
            known &= x <= self.high if self.high_closed else x < self.high
        return _with_share(known, lambda: np.isnan(x), self.missing)

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True)
class SetCondition:
    """The value of a nominal column is one of ``codes`` (positions in ``feature.categories``).

    Attributes
    ----------
    column : int
    feature : Feature
    codes : frozenset of int
    missing : float
        Share of the weight of a row whose value is missing.
    """

    column: int
    feature: Feature
    codes: frozenset[int]
    missing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", frozenset(int(code) for code in self.codes))

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    @property
    def is_vacuous(self) -> bool:
        return len(self.codes) == len(self.feature.categories)

    @property
    def is_empty(self) -> bool:
        return not self.codes

    @property
    def categories(self) -> tuple[Any, ...]:
        return tuple(self.feature.categories[code] for code in sorted(self.codes))

    @property
    def other_categories(self) -> tuple[Any, ...]:
        """The known categories that are not accepted."""
        return tuple(c for code, c in enumerate(self.feature.categories) if code not in self.codes)

    def match(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the share of each encoded row that meets the condition: 0, 1, or between for a missing value."""
        codes = matrix.codes[:, matrix.position[self.column]]
        if len(self.codes) == 1:
            known = codes == next(iter(self.codes))
        else:
            # One slot more than categories: code -1 (missing) indexes the last.
            table = np.zeros(len(self.feature.categories) + 1, dtype=bool)
            table[sorted(self.codes)] = True
            known = table[codes]
        return _with_share(known, lambda: codes < 0, self.missing)

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True)
class MissingCondition:
    """The value is missing; ``missing`` is the share of such a row's weight.

    Attributes
    ----------
    column : int
    feature : Feature
    missing : float
    """

    column: int
    feature: Feature
    missing: float = 1.0

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    @property
    def is_vacuous(self) -> bool:
        return False

    @property
    def is_empty(self) -> bool:
        return True

    def match(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the share of each encoded row that meets the condition: 0, 1, or between for a missing value."""
        position = matrix.position[self.column]
        if self.feature.kind == "nominal":
            absent = matrix.codes[:, position] < 0
        else:
            absent = np.isnan(matrix.numeric_columns[:, position])
        return absent if self.missing == 1 else absent * self.missing

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True)
class LinearCondition:
    """``sum(coef * x) <= threshold``, or ``>`` (``above``), over numeric columns; ``closed``: equality is accepted.

    The value counts as missing when any of its columns is.

    Attributes
    ----------
    columns : tuple of int
    features : tuple of Feature
    coefficients : tuple of float
    threshold : float
    above, closed : bool
    missing : float
        Share of the weight of a row whose value is missing.
    """

    columns: tuple[int, ...]
    features: tuple[Feature, ...]
    coefficients: tuple[float, ...]
    threshold: float
    above: bool = False
    closed: bool = True
    missing: float = 0.0

    @property
    def is_vacuous(self) -> bool:
        return False

    @property
    def is_empty(self) -> bool:
        return False

    @property
    def operator(self) -> str:
        return (">=" if self.closed else ">") if self.above else ("<=" if self.closed else "<")

    def match(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the share of each encoded row that meets the condition: 0, 1, or between for a missing value."""
        # Added left to right, as the exported text, SQL and Python do.
        total = np.zeros(matrix.n_rows)
        for column, coefficient in zip(self.columns, self.coefficients):
            total = total + coefficient * matrix.numeric_columns[:, matrix.position[column]]
        compare = {"<=": np.less_equal, "<": np.less, ">": np.greater, ">=": np.greater_equal}[self.operator]
        return _with_share(compare(total, self.threshold), lambda: np.isnan(total), self.missing)

    def __str__(self) -> str:
        return _text(self)


Condition = RangeCondition | SetCondition | MissingCondition | LinearCondition


# By column (a linear condition by itself), in the order of first mention.
Merged = dict[object, Condition]


def merge_conditions(conditions: Iterable[Condition]) -> tuple[Condition, ...] | None:
    """One condition per column, in the order of first mention; None when no row at all can meet them.

    Conditions that every row meets are dropped; linear ones are kept as they are.
    """
    merged: Merged = {}
    for condition in conditions:
        merged = merged_with(merged, condition)
    return finish_merge(merged)


def merged_with(merged: Merged, condition: Condition) -> Merged:
    """Return the merged conditions and one more; what was given stays as it is, so that paths can share their start."""
    key: object = condition if isinstance(condition, LinearCondition) else condition.column
    return {**merged, key: _intersect(merged[key], condition) if key in merged else condition}


def finish_merge(merged: Merged) -> tuple[Condition, ...] | None:
    """Return the conditions that say something; None when no row at all can meet them."""
    kept = []
    for condition in merged.values():
        if condition.is_empty and not isinstance(condition, MissingCondition):
            condition = MissingCondition(condition.column, condition.feature, condition.missing)  # type: ignore[union-attr]
        if isinstance(condition, MissingCondition) and condition.missing == 0:
            return None
        if not (condition.is_vacuous and condition.missing == 1):
            kept.append(condition)
    return tuple(kept)


def _intersect(first: Condition, second: Condition) -> Condition:
    missing = first.missing * second.missing
    if isinstance(first, LinearCondition) or isinstance(second, LinearCondition):
        return replace(first, missing=missing)  # the same linear test twice
    if isinstance(first, MissingCondition) or isinstance(second, MissingCondition):
        return MissingCondition(first.column, first.feature, missing)
    if isinstance(first, SetCondition) and isinstance(second, SetCondition):
        return replace(first, codes=first.codes & second.codes, missing=missing)
    assert isinstance(first, RangeCondition)
    assert isinstance(second, RangeCondition)
    # An open end is the tighter of two equal ones.
    low, low_open = max((first.low, not first.low_closed), (second.low, not second.low_closed))
    high, high_closed = min((first.high, first.high_closed), (second.high, second.high_closed))
    return replace(first, low=low, low_closed=not low_open, high=high, high_closed=high_closed, missing=missing)


def _with_share(known: np.ndarray, absent: Callable[[], np.ndarray], share: float) -> np.ndarray:
    """The match of every row: boolean where the share is 0 or 1, else a weight in [0, 1]."""
    if share == 0:
        return known
    if share == 1:
        both: np.ndarray = known | absent()
        return both
    return np.where(absent(), share, known)


def _text(condition: Condition) -> str:
    from vaglio.model.condition_text import condition_text

    return condition_text(condition)
