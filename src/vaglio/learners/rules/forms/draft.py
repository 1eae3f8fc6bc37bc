"""What a text of rules says, before it is known what its columns are; and what the columns must then be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vaglio.encode import Feature
from vaglio.errors import InputError

__all__ = ["AnyTest", "DraftRule", "LinearTest", "OrderTest", "SetTest", "StateTest", "infer_features"]


@dataclass
class OrderTest:
    """``x <= 3``, or both ends of an interval."""

    name: str
    line: int
    bounds: list[tuple[str, Any]]
    missing: float = 0.0

    @property
    def names(self) -> list[str]:
        return [self.name]


@dataclass
class SetTest:
    """``x = a``, ``x IN {a, b}``, or the negation."""

    name: str
    line: int
    values: list[Any]
    negated: bool
    missing: float = 0.0
    word: Feature | None = None

    @property
    def names(self) -> list[str]:
        return [self.name]


@dataclass
class StateTest:
    """``x IS MISSING``, ``x IS KNOWN``."""

    name: str
    line: int
    known: bool
    missing: float = 0.0
    word: Feature | None = None

    @property
    def names(self) -> list[str]:
        return [self.name]


@dataclass
class LinearTest:
    """``0.5 * x - 2 * y <= 3``."""

    terms: list[tuple[float, str]]
    operator: str
    threshold: float
    line: int
    missing: float = 0.0

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.terms]


AnyTest = OrderTest | SetTest | StateTest | LinearTest


@dataclass
class DraftRule:
    """One IF … THEN … line."""

    tests: list[AnyTest]
    label: Any
    weights: dict[Any, float] | None
    covered: dict[Any, float] | None
    line: int


def infer_features(tests: Iterable[AnyTest], declared: dict[str, Feature]) -> tuple[Feature, ...]:
    """The columns of a text: those declared, and those its tests name, by how they are tested."""
    words: dict[str, Feature] = {}
    numeric: dict[str, None] = {}
    values: dict[str, dict[Any, None]] = {}
    for test in tests:
        for name in test.names:
            if name in declared:
                continue
            if isinstance(test, (SetTest, StateTest)) and test.word is not None:
                words[name] = test.word
                continue
            if isinstance(test, SetTest):
                if test.negated:
                    raise InputError(
                        f"Rules, line {test.line}: what {name!r} may be instead is not known; add a line "
                        f"COLUMN {name}: with all its values."
                    )
                values.setdefault(name, {}).update(dict.fromkeys(test.values))
            elif not isinstance(test, StateTest):
                numeric[name] = None
            else:
                values.setdefault(name, {})
    inferred = {**declared, **words}
    for name in [*numeric, *values]:
        if name in numeric:
            inferred[name] = Feature(name)
        elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values[name]):
            inferred[name] = Feature(name)  # only ever compared with numbers, or only tested for being missing
        else:
            inferred[name] = Feature(name, "nominal", tuple(values[name]))
    return tuple(inferred.values())
