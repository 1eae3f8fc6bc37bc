"""Random tables and numbers for exercises: small, clean, and drawn again until the answer is unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np

from vaglio.document.notation import Notation
from vaglio.table import Table

__all__ = ["Rows", "draw_rows", "entropy", "entropy_work", "gini", "until"]

# A table that fits is found in tens of draws; more would be a fault of the topic.
_MOST_DRAWS = 20_000


def until(make: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """Return the first thing made that fits."""
    for _ in range(_MOST_DRAWS):
        made = make()
        if fits(made):
            return made
    raise RuntimeError("no table fits")


def entropy(labels: Sequence[Any]) -> float:
    """Return the entropy of classes in bits."""
    n = len(labels)
    return -sum(count / n * log2(count / n) for count in Counter(labels).values()) + 0.0


def gini(labels: Sequence[Any]) -> Fraction:
    """Return the Gini index of classes."""
    n = len(labels)
    return 1 - sum((Fraction(count, n) ** 2 for count in Counter(labels).values()), Fraction(0))


def entropy_work(labels: Sequence[Any], say: Notation) -> str:
    """Return the entropy as it is calculated by hand."""
    n = len(labels)
    parts = [f"{count}/{n} log2({count}/{n})" for _, count in sorted(Counter(labels).items())]
    return f"−{' − '.join(parts)} = {say.fixed(entropy(labels))}"


@dataclass(frozen=True)
class Rows:
    """A table of nominal attributes with two classes.

    Attributes
    ----------
    names : tuple of str
        Of the attributes.
    values : tuple of tuple of str
        The values that each may have.
    cells : tuple of tuple of str
        One tuple per row.
    labels : tuple of str
    target : str
    classes : tuple of str
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    target: str
    classes: tuple[str, ...]

    def taken(self, attribute: int, value: str, others: bool = False) -> Rows:
        """Return the rows with a value of an attribute, or all others."""
        at = [i for i, row in enumerate(self.cells) if (row[attribute] == value) is not others]
        cells, labels = tuple(self.cells[i] for i in at), tuple(self.labels[i] for i in at)
        return Rows(self.names, self.values, cells, labels, self.target, self.classes)

    def branches(self, attribute: int) -> dict[str, Rows]:
        """Return the rows of each value of an attribute, without values that no row has."""
        found = {value: self.taken(attribute, value) for value in self.values[attribute]}
        return {value: rows for value, rows in found.items() if rows.cells}

    def after(self, attribute: int) -> float:
        """Return the entropy of the classes once an attribute is known."""
        return sum(
            len(rows.labels) / len(self.labels) * entropy(rows.labels) for rows in self.branches(attribute).values()
        )

    def gain(self, attribute: int) -> float:
        """Return the information gain of an attribute."""
        return entropy(self.labels) - self.after(attribute)

    def split_information(self, attribute: int) -> float:
        """Return the entropy of the values of an attribute."""
        return entropy([row[attribute] for row in self.cells])

    def xy(self) -> tuple[Table, np.ndarray]:
        """Return them as a learner takes them."""
        columns = {name: [row[j] for row in self.cells] for j, name in enumerate(self.names)}
        return Table.from_any(columns), np.array(self.labels, dtype=object)

    def lines(self) -> list[list[Any]]:
        """Return the rows as a table shows them, numbered."""
        return [[i, *row, label] for i, (row, label) in enumerate(zip(self.cells, self.labels, strict=True), 1)]

    def facts(self) -> dict[str, Any]:
        """Return the columns and classes."""
        columns = {name: [row[j] for row in self.cells] for j, name in enumerate(self.names)}
        return {"columns": columns, "labels": list(self.labels), "target": self.target}


def _stories(say: Notation) -> list[tuple[str, tuple[str, str], list[tuple[str, tuple[str, ...]]]]]:
    """What the tables are about: the class with its two values, and attributes with theirs."""
    yes_no = (say("yes"), say("no"))
    return [
        (
            say("edible"),
            yes_no,
            [
                (say("colour"), (say("red"), say("green"), say("brown"))),
                (say("size"), (say("small"), say("large"))),
                (say("shape"), (say("circular"), say("flat"), say("long"))),
                (say("smell"), (say("sweet"), say("odourless"))),
            ],
        ),
        (
            say("buys"),
            yes_no,
            [
                (say("age"), (say("young"), say("adult"), say("elderly"))),
                (say("income"), ("€", "€€", "€€€")),
                (say("student"), yes_no),
                (say("credit"), (say("reliable"), say("doubtful"))),
            ],
        ),
        (
            say("late"),
            yes_no,
            [
                (say("weather"), (say("sun"), say("rain"), say("snow"))),
                (say("day"), (say("weekday"), say("weekend"))),
                (say("distance"), (say("near"), say("intermediate"), say("far"))),
                (say("transport"), (say("by train"), say("by car"))),
            ],
        ),
    ]


def draw_rows(
    draw: np.random.Generator, say: Notation, n: int, attributes: int, fits: Callable[[Rows], bool], noise: float = 0.15
) -> Rows:
    """Return a table of n rows that fits, whose classes follow a small hidden rule.

    Parameters
    ----------
    draw : Generator
    say : Notation
    n, attributes : int
    fits : callable
    noise : float
        Share of the classes that do not follow the rule.
    """
    stories = _stories(say)
    target, classes, offered = stories[int(draw.integers(len(stories)))]
    chosen = sorted(draw.choice(len(offered), size=attributes, replace=False).tolist())
    names, values = zip(*(offered[j] for j in chosen), strict=True)

    def make() -> Rows:
        cells = tuple(tuple(str(draw.choice(each)) for each in values) for _ in range(n))
        first, second = draw.choice(attributes, size=2, replace=False)
        hidden = {(a, b): classes[int(draw.integers(2))] for a in values[first] for b in values[second]}
        labels = tuple(
            classes[int(draw.integers(2))] if draw.random() < noise else hidden[row[first], row[second]]
            for row in cells
        )
        return Rows(names, values, cells, labels, target, classes)

    made: Rows = until(make, lambda rows: len(set(rows.labels)) == 2 and fits(rows))
    return made
