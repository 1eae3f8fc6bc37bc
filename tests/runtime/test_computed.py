"""A computed field is computed once, when it is asked for, and is a value wherever the object goes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest

from vaglio.runtime.computed import Later, computed_fields


@computed_fields("facts")
@dataclass(frozen=True)
class Told:
    name: str
    facts: dict[str, int] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


def told(asked: list[int]) -> Told:
    def compute() -> dict[str, int]:
        asked.append(1)
        return {"rows": 3}

    later: Any = Later(compute)
    return Told("table", later)


def test_a_value_is_computed_once_and_only_when_it_is_asked_for():
    asked: list[int] = []
    made = told(asked)
    assert made.name == "table"
    assert asked == []
    assert made.facts is made.facts
    assert made.facts == {"rows": 3}
    assert asked == [1]


@pytest.mark.parametrize(
    "moved",
    [
        lambda made: pickle.loads(pickle.dumps(made)),
        copy.deepcopy,
        copy.copy,
        lambda made: replace(made, name="another"),
    ],
)
def test_copies_hold_the_value(moved):
    assert moved(told([])).facts == {"rows": 3}


def test_plain_values_and_defaults_are_fields_like_others():
    assert Told("table").facts == {}
    assert Told("table", {"rows": 3}) == told([])
