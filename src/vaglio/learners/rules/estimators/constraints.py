"""What the user forbids or requires of rules, in the terms of the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import ColumnError, InputError, NotSupportedError
from vaglio.learners.rules.estimators.condition_scorer import ABOVE, AT_MOST, EQUAL, ONE_OF, UNEQUAL
from vaglio.learners.rules.forms.parse import parse_condition
from vaglio.messages.sentences import did_you_mean
from vaglio.model.condition import Condition

_OPERATORS = {"<=": AT_MOST, ">": ABOVE, "=": EQUAL, "!=": UNEQUAL, "in": ONE_OF}


@dataclass(frozen=True)
class RuleConstraints:
    """Constraints in the kernel's terms.

    Attributes
    ----------
    allowed : uint8 (classes, kernel columns)
        Bits of the tests a rule of the class may put on the column.
    conditions : conditions every rule starts with
    first_columns : kernel columns every rule tests first, in this order
    """

    allowed: np.ndarray
    conditions: tuple[Condition, ...]
    first_columns: list[int]

    def allowed_next(self, code: int, length: int) -> np.ndarray:
        """Tests allowed for the next condition of a rule that has ``length`` already."""
        allowed: np.ndarray = self.allowed[code]
        if length >= len(self.first_columns):
            return allowed
        column = self.first_columns[length]
        return np.where(np.arange(len(allowed)) == column, allowed, np.zeros_like(allowed))


def read_constraints(
    features: Sequence[Feature],
    order: np.ndarray,
    n_classes: int,
    forbid: Sequence[str] | None,
    require: Sequence[str] | None,
    monotone: Mapping[str, int] | None,
    negation: bool,
    value_sets: bool,
) -> RuleConstraints:
    """Understand the user's words. ``order`` gives the feature of each kernel column."""
    place = {features[feature].name: column for column, feature in enumerate(order)}
    nominal = 1 << EQUAL | negation << UNEQUAL | value_sets << ONE_OF
    tests = [nominal if features[j].is_nominal else 1 << AT_MOST | 1 << ABOVE for j in order]
    # That a value is not present is no condition of an asymmetric column.
    tests = [test & ~(1 << UNEQUAL) if features[j].asymmetric else test for test, j in zip(tests, order)]
    allowed = np.tile(np.array(tests, dtype=np.uint8), (n_classes, 1))
    texts = {features[j].column for j in order if features[j].word is not None}
    for words in forbid or ():
        if words in texts:  # all words of it
            allowed[:, [place[features[j].name] for j in order if features[j].column == words]] = 0
            continue
        column, refused = _forbidden(words, place)
        allowed[:, column] &= np.uint8(~refused & 0xFF)
    for name, direction in (monotone or {}).items():
        _make_monotone(allowed, _column(name, place, "monotone"), features[order[place[name]]], direction)
    conditions, first_columns = [], []
    for words in require or ():
        if words in place:
            first_columns.append(place[words])
        else:
            conditions.append(parse_condition(words, features))
    return RuleConstraints(allowed, tuple(conditions), first_columns)


def _forbidden(words: str, place: dict[str, int]) -> tuple[int, int]:
    """``"race"`` forbids a column, ``"income <="`` one kind of test on it."""
    if words in place:
        return place[words], 0xFF
    name, _, operator = words.rpartition(" ")
    if operator in _OPERATORS:
        return _column(name, place, "forbid"), 1 << _OPERATORS[operator]
    return _column(words, place, "forbid"), 0xFF


def _column(name: str, place: dict[str, int], parameter: str) -> int:
    if name not in place:
        raise ColumnError(
            f"{parameter} names {name!r}, which is no column of X: {did_you_mean(name, place, quoted=True)}"
        )
    return place[name]


def _make_monotone(allowed: np.ndarray, column: int, feature: Feature, direction: int) -> None:
    """Allow rules of the class that grows with the column only tests for larger values, those of the other for smaller.

    A list of such rules is monotone: when the value grows, a rule of the growing class that matched still matches, and
    any rule that newly matches is of that class too.
    """
    if feature.is_nominal:
        raise InputError(f"monotone names {feature.name!r}, whose values have no order.")
    if direction not in (-1, 1):
        raise InputError(f"monotone[{feature.name!r}] must be +1 or -1, got {direction!r}.")
    if len(allowed) > 2:
        raise NotSupportedError("monotone needs two classes: with more classes there is no order of the classes.")
    growing = len(allowed) - 1 if direction > 0 else 0
    for label in range(len(allowed)):
        allowed[label, column] &= 1 << (ABOVE if label == growing else AT_MOST)
