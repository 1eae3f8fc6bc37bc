"""Trees that test the attributes in a given order, two of them side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any

import numpy as np

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation
from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.table import Table
from vaglio.typing import ColumnLike, TableLike

__all__ = ["trace_order"]

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class _Node:
    """The rows of each class, and a branch per value of the attribute that is tested."""

    counts: Counter[str]
    attribute: str = ""
    branches: dict[str, _Node] = field(default_factory=dict)

    def leaves(self, depth: int = 0) -> Iterator[tuple[_Node, int]]:
        """Yield the leaves with their depth."""
        if not self.branches:
            yield self, depth
        for child in self.branches.values():
            yield from child.leaves(depth + 1)

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.branches.values())

    def label(self) -> str:
        """The most frequent class; of equals the first by name."""
        return min(self.counts, key=lambda label: (-self.counts[label], label))

    def outline(self, say: Notation, indent: str = "") -> list[str]:
        """The tree as lines."""
        lines = []
        for value, child in self.branches.items():
            end = "" if child.branches else f": {child.label()} ({child.counts.total()})"
            lines.append(f"{indent}{self.attribute} = {value}{end}")
            lines += child.outline(say, indent + "│  ")
        return lines or ([] if indent else [f"{self.label()} ({self.counts.total()})"])


def trace_order(
    X: TableLike,
    y: ColumnLike,
    order: str | Sequence[str] | None = None,
    other: str | Sequence[str] | None = None,
    *,
    lang: str = "en",
) -> Trace:
    """Build the tree that tests nominal attributes in a given order, beside another one.

    Parameters
    ----------
    X : table or frame of nominal columns
    y : array-like
        The class of each row.
    order : sequence of str, or names with commas between, optional
        The attributes of the first tree, from the root down; by default the order of the columns.
    other : sequence of str, or names with commas between, optional
        Those of the second tree; by default each node takes the attribute with the largest information gain.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_order
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> facts = trace_order(X, y, "temperature, windy, humidity, outlook").facts
    >>> [tree["nodes"] for tree in facts["trees"]]
    [24, 8]
    """
    table = Table.from_any(X)
    columns = {name: [_spelled(value) for value in table[name].tolist()] for name in table.columns}
    for name in table.columns:
        if table.column(name).kind == "numeric":
            raise InputError(
                "order-needs-nominal",
                "Column {column!r} is numeric; a tree of a given order has one branch per value of a nominal column.",
                column=name,
            )
    labels = [spelling(label) for label in np.asarray(y).tolist()]
    rows: Rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    page = Page(Notation(lang))
    say = page.say
    first = _names(order, table) if order is not None else list(table.columns)
    second = None if other is None else _names(other, table)
    trees = [_grown(rows, labels, first, _next)]
    trees.append(
        _grown(rows, labels, list(table.columns), _best) if second is None else _grown(rows, labels, second, _next)
    )
    titles = [
        ", ".join(first),
        say("the largest information gain at each node") if second is None else ", ".join(second),
    ]
    page.section(say("Two trees of the same rows"))
    page.text(say("The order in which attributes are tested decides how large the tree becomes. Smaller is better."))
    for tree, title in zip(trees, titles):
        page.section(title, level=2)
        page.table([say("tree")], [[line] for line in tree.outline(say)])
    page.section(say("The two trees side by side"))
    shapes = [_shape(tree, rows, labels) for tree in trees]
    kinds = {
        "nodes": say("nodes"),
        "leaves": say("leaves"),
        "depth": say("depth"),
        "mean_path": say("tests per row on average"),
        "errors": say("misclassified training rows"),
    }
    page.table(
        ["", *titles], [[kinds[name], *(say.short(round(shape[name], 4)) for shape in shapes)] for name in kinds]
    )
    page.facts |= {"orders": [first, second], "trees": shapes}
    return page.finish(say("Trees of a given order of attributes"))


def _spelled(value: Any) -> str:
    return "?" if value is None or value != value else spelling(value)


def _names(given: str | Sequence[str], table: Table) -> list[str]:
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    for name in names:
        if name not in table.columns:
            raise InputError(
                "order-unknown-column",
                "There is no attribute {column!r}: {hint}",
                column=name,
                hint=did_you_mean(name, table.columns, otherwise=text("there are")),
            )
    return list(dict.fromkeys(names))


def _grown(
    rows: Rows, labels: list[str], left: list[str], choose: Callable[[Rows, list[str], list[str]], str]
) -> _Node:
    """Test the attributes that are left until the rows are of one class; an attribute that tells nothing is skipped."""
    counts = Counter(labels)
    useful = [name for name in left if len({row[name] for row in rows}) > 1]
    if len(counts) < 2 or not useful:
        return _Node(counts)
    name = choose(rows, labels, useful)
    branches = {}
    for value in dict.fromkeys(row[name] for row in rows):
        here = [i for i, row in enumerate(rows) if row[name] == value]
        rest = [each for each in useful if each != name]
        branches[value] = _grown([rows[i] for i in here], [labels[i] for i in here], rest, choose)
    return _Node(counts, name, branches)


def _next(rows: Rows, labels: list[str], left: list[str]) -> str:
    return left[0]


def _best(rows: Rows, labels: list[str], left: list[str]) -> str:
    return min(left, key=lambda name: (round(_left(rows, labels, name), 12), left.index(name)))


def _left(rows: Rows, labels: list[str], name: str) -> float:
    """The entropy that a test of this attribute leaves, times the number of rows."""
    groups: dict[str, Counter[str]] = {}
    for row, label in zip(rows, labels):
        groups.setdefault(row[name], Counter())[label] += 1
    return sum(-n * log2(n / group.total()) for group in groups.values() for n in group.values())


def _shape(tree: _Node, rows: Rows, labels: list[str]) -> dict[str, float]:
    leaves = list(tree.leaves())
    return {
        "nodes": tree.size(),
        "leaves": len(leaves),
        "depth": max(depth for _, depth in leaves),
        "mean_path": sum(leaf.counts.total() * depth for leaf, depth in leaves) / max(len(rows), 1),
        "errors": sum(leaf.counts.total() - leaf.counts[leaf.label()] for leaf, _ in leaves),
    }
