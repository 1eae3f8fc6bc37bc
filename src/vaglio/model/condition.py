"""What a rule tests in one row: a range, a set of categories, a linear combination, or that a value be missing.

Every condition also says with which share a row matches *when the value is missing*: 0 never (the rule learners), 1
always (a learned direction), in between a fraction of the row's weight (C4.5). Merging two conditions on one column
intersects what they accept and multiplies their shares, which is what walking down two nodes of a tree does.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.figures import days_of, moment
from vaglio.messages.message import Message, Number, join, text

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix, Feature


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
    told : bool
        Whether a person reads of this share: not where no training row of a tree lacked the value.
    """

    column: int
    feature: Feature
    low: float = -math.inf
    high: float = math.inf
    low_closed: bool = False
    high_closed: bool = True
    missing: float = 0.0
    told: bool = field(default=True, compare=False, repr=False)

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
        return condition_text(self)


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
    told : bool
        Whether a person reads of this share: not where no training row of a tree lacked the value.
    """

    column: int
    feature: Feature
    codes: frozenset[int]
    missing: float = 0.0
    told: bool = field(default=True, compare=False, repr=False)

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
        return condition_text(self)


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
        return condition_text(self)


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
    told : bool
        Whether a person reads of this share: not where no training row of a tree lacked the value.
    """

    columns: tuple[int, ...]
    features: tuple[Feature, ...]
    coefficients: tuple[float, ...]
    threshold: float
    above: bool = False
    closed: bool = True
    missing: float = 0.0
    told: bool = field(default=True, compare=False, repr=False)

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
        return condition_text(self)


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


# A name that needs no quotes: letters first, then letters, digits, and single dots or hyphens inside.
WORD = r"[^\W\d]\w*(?:[-.]\w+)*"
_TEST_WORDS = frozenset(["AND", "OR", "NOT", "IN", "IS", "MISSING", "KNOWN", "BETWEEN", "TRUE", "FALSE", "INF", "NAN"])
_LINE_WORDS = frozenset(["CLASSES", "COLUMN", "NUMBER", "CHOOSE", "SMOOTHING", "ROWS", "COVERS", "COST"])
KEYWORDS = _TEST_WORDS | _LINE_WORDS | {"IF", "ANYTHING", "THEN", "ELSE"}
# Fewer digits than a float has, so that 2.4499999999999997 reads 2.45: only where nothing is read back.
_READABLE = 12


def value_text(value: object) -> str:
    """A label, a category or a column's name: bare when it is a plain word, quoted otherwise."""
    if isinstance(value, str):
        plain = re.fullmatch(WORD, value) and value.upper() not in KEYWORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    raise InputError(
        "value-not-writable",
        "The value {value!r} is not a text, a number or a boolean, so rules cannot be written with it.",
        value=value,
    )


def number_text(value: float, exact: bool) -> str:
    """A number with all its digits, or with as many as a person reads."""
    digits = repr(float(value)) if exact else f"{value:.{_READABLE}g}"
    return digits.removesuffix(".0")


def bound_text(feature: Feature, value: float, exact: bool = False) -> str:
    """Return a number that a column is compared with; of dates a date, if no digit is lost."""
    if feature.is_date and (not exact or days_of(moment(value)) == value):
        return moment(value)
    return Number(number_text(value, exact))


def condition_text(condition: Condition, exact: bool = False) -> str:
    """Return a condition in the names of the table: a message for a person, or the exact text that is read back."""
    if isinstance(condition, MissingCondition):
        return _missing_text(condition, exact)
    known = _known_text(condition, exact)
    if condition.missing == 0 or not (exact or condition.told):
        return known
    if condition.missing == 1:
        return text("({condition} OR MISSING)", condition=known)
    share = number_text(condition.missing, True) if exact else f"{condition.missing:.3g}"
    return text("({condition} OR MISSING {share})", condition=known, share=Number(share))


def rule_message(conditions: Iterable[str], label: str) -> Message:
    """Return conditions, each a message, and what follows from them as one message."""
    told: str = ""
    for condition in conditions:
        told = text("{first} AND {more}", first=told, more=condition) if told else condition
    if not told:
        return text("IF ANYTHING THEN {label}", label=label)
    return text("IF {conditions} THEN {label}", conditions=told, label=label)


def _missing_text(condition: MissingCondition, exact: bool) -> str:
    name = _name_text(condition.feature)
    if condition.missing == 1:
        return text("{name} IS MISSING", name=name)
    share = Number(number_text(condition.missing, exact))
    return text("{name} IS MISSING {share}", name=name, share=share)


def _known_text(condition: Condition, exact: bool) -> str:
    if isinstance(condition, LinearCondition):
        return _linear_text(condition, exact)
    name = _name_text(condition.feature)
    if condition.is_vacuous and not (isinstance(condition, SetCondition) and len(condition.codes) == 1):
        return text("{name} IS KNOWN", name=name)
    if isinstance(condition, SetCondition):
        return _set_text(name, condition, exact)
    assert isinstance(condition, RangeCondition)
    if condition.feature.kind == "ordinal":
        return _ordinal_text(name, condition)
    low, high = (bound_text(condition.feature, end, exact) for end in (condition.low, condition.high))
    return _range_text(name, condition, low, high)


def _name_text(feature: Feature) -> str:
    if feature.word is None:
        return value_text(feature.name)
    return text("{column} contains {word}", column=value_text(feature.column), word=_quoted(feature.word[1]))


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def _set_text(name: str, condition: SetCondition, exact: bool) -> str:
    word = condition.feature.word
    if word is not None:
        if condition.codes == {1}:
            return name
        return text("{column} does not contain {word}", column=value_text(word[0]), word=_quoted(word[1]))
    accepted, others = condition.categories, condition.other_categories
    if len(accepted) == 1:
        return text("{name} = {value}", name=name, value=value_text(accepted[0]))
    if len(others) == 1:
        return text("{name} != {value}", name=name, value=value_text(others[0]))
    if len(others) < len(accepted):
        return text("{name} NOT IN {{{values}}}", name=name, values=listed_values(others))
    return text("{name} IN {{{values}}}", name=name, values=listed_values(accepted))


def _range_text(name: str, condition: RangeCondition, low: str, high: str) -> str:
    if condition.low == -math.inf:
        return join(" ", [name, "<=" if condition.high_closed else "<", high])
    if condition.high == math.inf:
        return join(" ", [name, ">=" if condition.low_closed else ">", low])
    above, below = "<=" if condition.low_closed else "<", "<=" if condition.high_closed else "<"
    return join(" ", [low, above, name, below, high])


def _ordinal_text(name: str, condition: RangeCondition) -> str:
    categories = condition.feature.categories
    last = len(categories) - 1
    low = 0 if condition.low == -math.inf else int(min(max(condition.low + 1, 0), last))
    high = last if condition.high == math.inf else int(min(max(condition.high, 0), last))
    if condition.low == -math.inf:
        return join(" ", [name, "<=", value_text(categories[high])])
    if condition.high == math.inf:
        return join(" ", [name, ">=", value_text(categories[low])])
    ends = {"low": value_text(categories[low]), "high": value_text(categories[high])}
    return text("{name} BETWEEN {low} AND {high}", name=name, **ends)


def _linear_text(condition: LinearCondition, exact: bool) -> str:
    terms: list[str] = []
    for feature, coefficient in zip(condition.features, condition.coefficients):
        minus = math.copysign(1.0, coefficient) < 0
        terms.append((" - " if minus else " + ") if terms else ("-" if minus else ""))
        terms += [Number(number_text(abs(coefficient), exact)), f" * {value_text(feature.name)}"]
    return join("", [*terms, f" {condition.operator} ", Number(number_text(condition.threshold, exact))])


def listed_values(values: Iterable[Any]) -> str:
    """Return labels or categories, separated by commas."""
    return ", ".join(value_text(value) for value in values)
