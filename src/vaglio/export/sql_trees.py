"""Many trees as sums of CASE expressions, one per tree and score.

A database reads nested expressions only to a depth of some dozens, and one that plans with all of them takes long over
conditions that are written out leaf by leaf. So each test is written once: the smaller side of a split is nested, and
the larger one goes on after ELSE, by which the depth is at most the logarithm of the number of leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vaglio.export.part import BELOW, CATEGORY, SUM_AT_MOST, Part
from vaglio.export.sql import sql_number, sql_sum

__all__ = ["Compared", "scores_of_trees", "written_as_trees"]


@dataclass(frozen=True)
class Compared:
    """How values of a column are compared.

    Attributes
    ----------
    name : str
        The column, or what stands for it.
    point : callable
        A threshold as a literal.
    categories : list of str
        The categories as literals; empty for numbers.
    """

    name: str
    point: Callable[[float], str]
    categories: list[str]


def written_as_trees(part: Part) -> bool:
    """Whether a part is made of trees whose tests have two branches, one of which takes the missing values."""
    if part.kind in ("boosted", "mix"):
        return all(written_as_trees(member) for member in part.members)
    if part.kind != "trees":
        return False
    inner = part.fields["count"] > 0
    whole = (part.fields["missing"][inner] >= 0).all() and (part.fields["test"][inner] != SUM_AT_MOST).all()
    return bool(whole and (part.fields["count"][inner] == 2).all())


@dataclass(frozen=True)
class _Tree:
    """One tree, with what its leaves add to each score."""

    part: Part
    root: int
    columns: np.ndarray
    values: np.ndarray


def _trees(part: Part, columns: np.ndarray, outputs: int) -> list[_Tree]:
    if part.kind == "trees":
        values = part.fields["values"] / len(part.fields["root"])
        return [_Tree(part, int(root), columns, values) for root in part.fields["root"]]
    fields, found = part.fields, []
    if part.kind == "boosted":
        for k, member in enumerate(part.members):
            for tree in _trees(member, columns, 1):
                found.append(_placed(tree, tree.values * fields["rounds"], np.array([k]), outputs))
        return found
    for i, member in enumerate(part.members):
        seen = columns[fields["map"][fields["map_start"][i] : fields["map_start"][i + 1]]]
        classes = fields["class_of"][fields["class_start"][i] : fields["class_start"][i + 1]]
        for tree in _trees(member, seen, member.outputs):
            values = tree.values
            if fields["hard"][i]:
                values = np.eye(values.shape[1])[np.argmax(values, axis=1)]
            found.append(_placed(tree, values * fields["weight"][i] / fields["total"], classes, outputs))
    return found


def _placed(tree: _Tree, values: np.ndarray, classes: np.ndarray, outputs: int) -> _Tree:
    wide = np.zeros((len(values), outputs))
    wide[:, classes] = values
    return _Tree(tree.part, tree.root, tree.columns, wide)


def scores_of_trees(
    part: Part, outputs: int, n_columns: int, compared: Callable[[int], Compared], count: Callable[[int], None]
) -> list[str]:
    """Return one sum over the trees per score.

    Parameters
    ----------
    part : Part
        For which :func:`written_as_trees` holds.
    outputs, n_columns : int
    compared : callable
        Column -> how its values are compared.
    count : callable
        Is told how much is written.
    """
    trees = _trees(part, np.arange(n_columns), outputs)
    shapes = [_Shape(tree, compared, count) for tree in trees]
    return [sql_sum([text for shape in shapes if (text := shape.text(k)) != "0.0e0"]) for k in range(outputs)]


class _Shape:
    """The tree as text."""

    def __init__(self, tree: _Tree, compared: Callable[[int], Compared], count: Callable[[int], None]) -> None:
        self.tree, self.fields, self.compared, self.count = tree, tree.part.fields, compared, count
        self.order = [tree.root]
        for node in self.order:  # grows as it goes
            if self.fields["count"][node]:
                self.order += [int(self.fields["child"][node]), int(self.fields["child"][node]) + 1]
        self.leaves: dict[int, int] = {}
        for node in reversed(self.order):
            first = int(self.fields["child"][node])
            inner = self.fields["count"][node] > 0
            self.leaves[node] = self.leaves[first] + self.leaves[first + 1] if inner else 1

    def text(self, k: int) -> str:
        """What the tree adds to a score."""
        said: dict[int, float | None] = {}  # what all leaves below a node say, if they agree
        for node in reversed(self.order):
            first = int(self.fields["child"][node])
            if self.fields["count"][node] == 0:
                said[node] = float(self.tree.values[first, k])
            else:
                said[node] = said[first] if said[first] == said[first + 1] else None
        return self._below(self.tree.root, said)

    def _below(self, node: int, said: dict[int, float | None]) -> str:
        lines = []
        while (value := said[node]) is None:
            first = int(self.fields["child"][node])
            small = int(self.leaves[first] > self.leaves[first + 1])
            test = self._test(node, small)
            if test is None:  # no row goes there
                node = first + 1 - small
                continue
            lines.append(f"WHEN {test} THEN {self._below(first + small, said)}")
            node = first + 1 - small
        rest = sql_number(value)
        return f"CASE {' '.join(lines)} ELSE {rest} END" if lines else rest

    def _test(self, node: int, branch: int) -> str | None:
        """Whether a row takes a branch, never unknown where it does; None if none does."""
        fields = self.fields
        column = self.compared(int(self.tree.columns[int(fields["feature"][node])]))
        takes_missing = int(fields["missing"][node]) == branch
        if column.categories:
            return self._listed(node, branch, takes_missing, column)
        t = float(fields["threshold"][node])
        self.count(1)
        if np.isinf(t):
            some = (branch == 0) == (t > 0)
            if some:
                return "1 = 1" if takes_missing else f"{column.name} IS NOT NULL"
            return f"{column.name} IS NULL" if takes_missing else None
        operators = ("<", ">=") if fields["test"][node] == BELOW else ("<=", ">")
        known = f"{column.name} {operators[branch]} {column.point(t)}"
        return f"({known} OR {column.name} IS NULL)" if takes_missing else known

    def _listed(self, node: int, branch: int, takes_missing: bool, column: Compared) -> str | None:
        fields = self.fields
        if fields["test"][node] == CATEGORY:
            start = int(fields["table"][node])
            branches = fields["branch"][start : start + len(column.categories)]
        else:  # the rank of an ordered category
            ranks, t = np.arange(len(column.categories)), float(fields["threshold"][node])
            branches = 1 - (ranks < t if fields["test"][node] == BELOW else ranks <= t)
        # With what is missing goes what nobody knows: all that the other branch does not list.
        wanted = 1 - branch if takes_missing else branch
        chosen = [name for name, side in zip(column.categories, branches) if side == wanted]
        self.count(1 + len(chosen))
        if takes_missing:
            return f"({column.name} IS NULL OR {column.name} NOT IN ({', '.join(chosen)}))" if chosen else "1 = 1"
        return f"{column.name} IN ({', '.join(chosen)})" if chosen else None
