"""Monotone trees beside scikit-learn's: the same, or first different where exact arithmetic finds two splits equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn import tree as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from vaglio.sklearn import tree as ours

GROWTH: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"max_depth": 4, "min_samples_leaf": 5},
    {"min_samples_leaf": 10},
]
# What rounding leaves of a bound, or of two equal gains.
CLOSE = Fraction(1, 10**12)
LEAF = None


class Bounds(NamedTuple):
    """What monotonic tests above leave to the values of a node; None is no bound."""

    lower: Fraction | None = None
    upper: Fraction | None = None

    def gap(self, value: Fraction) -> Fraction | None:
        """Return how far inside a value lies, negative outside; None without bounds."""
        gaps = [value - self.lower] if self.lower is not None else []
        gaps += [self.upper - value] if self.upper is not None else []
        return min(gaps, default=None)


class Cut(NamedTuple):
    """A split of a node: its column, the rows on its left, and what it lowers the weighted impurity by."""

    column: int
    left: frozenset[int]
    gain: Fraction


@dataclass
class Oracle:
    """The rows as exact numbers, and every split that a node may have."""

    X: np.ndarray
    y: list[Fraction]
    weight: list[Fraction]
    directions: list[int]
    least: int
    classes: bool

    def totals(self, rows: list[int]) -> tuple[Fraction, Fraction]:
        none = Fraction(0)
        return sum((self.weight[i] * self.y[i] for i in rows), none), sum((self.weight[i] for i in rows), none)

    def mean(self, rows: list[int]) -> Fraction:
        total, weight = self.totals(rows)
        return total / weight

    def purity(self, total: Fraction, weight: Fraction) -> Fraction:
        """Return what a leaf of such rows has: less is less pure. Of classes the rest is the other one."""
        rest = weight - total if self.classes else Fraction(0)
        return (total * total + rest * rest) / weight

    def is_pure(self, rows: list[int]) -> bool:
        return len({self.y[i] for i in rows}) == 1

    def allows(self, column: int, left: Fraction, right: Fraction, bounds: Bounds) -> bool:
        """Whether a split keeps to the constraints; what only rounding decides is allowed."""
        direction = self.directions[column]
        if direction == 0:
            return True
        gaps = [bounds.gap(left), bounds.gap(right), (right - left) * direction]
        return all(gap is None or gap >= -CLOSE for gap in gaps)

    def cuts(self, rows: list[int], bounds: Bounds) -> Iterator[Cut]:
        all_y, all_w = self.totals(rows)
        node = self.purity(all_y, all_w)
        for column in range(self.X.shape[1]):
            order = sorted(rows, key=lambda i: self.X[i, column])
            y = w = Fraction(0)
            for k, (i, following) in enumerate(pairwise(order), 1):
                y, w = y + self.weight[i] * self.y[i], w + self.weight[i]
                apart = self.X[following, column] > self.X[i, column] + np.float32(1e-7)
                if not apart or min(k, len(order) - k) < self.least:
                    continue
                if self.allows(column, y / w, (all_y - y) / (all_w - w), bounds):
                    gain = self.purity(y, w) + self.purity(all_y - y, all_w - w) - node
                    yield Cut(column, frozenset(order[:k]), gain)

    def below(self, column: int, sides: list[list[int]], bounds: Bounds) -> list[Bounds]:
        """Return the bounds of both branches: neither crosses the middle of their means."""
        direction = self.directions[column]
        if direction == 0:
            return [bounds, bounds]
        middle = (self.mean(sides[0]) + self.mean(sides[1])) / 2
        low, high = Bounds(bounds.lower, middle), Bounds(middle, bounds.upper)
        return [low, high] if direction > 0 else [high, low]


def sides_of(tree: Any, node: int, X: np.ndarray, rows: list[int]) -> list[list[int]] | None:
    """Return the rows of either branch; None of a leaf."""
    if tree.children_left[node] < 0:
        return LEAF
    left = X[rows, tree.feature[node]] <= tree.threshold[node]
    return [[i for i, goes in zip(rows, left) if goes == side] for side in (True, False)]


def check_node(oracle: Oracle, trees: Any, nodes: tuple[int, int], rows: list[int], bounds: Bounds) -> bool:
    """Check a node where the trees part; return whether it is pure, which scikit-learn's rounding may not see."""
    if oracle.is_pure(rows):
        assert trees[0].children_left[nodes[0]] < 0
        return True
    cuts = list(oracle.cuts(rows, bounds))
    most = max(cut.gain for cut in cuts)
    for tree, node in zip(trees, nodes):
        sides = sides_of(tree, node, oracle.X, rows)
        assert sides is not LEAF
        chosen = [cut.gain for cut in cuts if (cut.column, cut.left) == (tree.feature[node], frozenset(sides[0]))]
        assert chosen
        assert most - chosen[0] <= CLOSE * max(most, Fraction(1))
    return False


def compare(oracle: Oracle, trees: Any) -> str:
    """Follow both trees down to the first node where they part: 'equal', 'tie' or 'pure'."""
    open_nodes = [((0, 0), list(range(len(oracle.y))), Bounds())]
    while open_nodes:
        nodes, rows, bounds = open_nodes.pop()
        found = [sides_of(tree, node, oracle.X, rows) for tree, node in zip(trees, nodes)]
        columns = [int(tree.feature[node]) for tree, node in zip(trees, nodes)]
        if found[0] != found[1] or columns[0] != columns[1]:
            return "pure" if check_node(oracle, trees, nodes, rows, bounds) else "tie"
        if found[0] is LEAF:
            continue
        for side, (own, left) in enumerate(zip(oracle.below(columns[0], found[0], bounds), found[0])):
            children = [(tree.children_right if side else tree.children_left)[node] for tree, node in zip(trees, nodes)]
            open_nodes.append(((children[0], children[1]), left, own))
    return "equal"


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of many values and of few, where splits tie."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 4))
    X[:, 1], X[:, 3] = np.round(X[:, 1]), random.integers(0, 3, 200)
    return X, X[:, 0] + X[:, 1] - X[:, 2] + random.normal(size=200)


def tables() -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """Return rows, targets, and whether these are classes."""
    cancer, iris, wine, diabetes = (
        load(return_X_y=True) for load in (load_breast_cancer, load_iris, load_wine, load_diabetes)
    )
    found = {
        "breast cancer": (cancer[0][:, :8], cancer[1], True),
        "iris": (iris[0][50:], iris[1][50:] - 1, True),
        "wine": (wine[0][:130, :6], (wine[1][:130] > 0) * 1, True),
        "diabetes": (diabetes[0], diabetes[1], False),
    }
    for seed in range(3):
        X, y = drawn(seed)
        found |= {f"classes {seed}": (X, (y > 0) * 1, True), f"numbers {seed}": (X, y, False)}
        found[f"whole numbers {seed}"] = (X, np.round(y), False)
    return found


TABLES = tables()


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", TABLES)
def test_a_monotone_tree_parts_from_scikit_learns_at_a_tie_alone(name: str, weighted: bool) -> None:
    X, y, classes = TABLES[name]
    kind, verdicts = f"DecisionTree{'Classifier' if classes else 'Regressor'}", []
    for seed in range(2):
        random = np.random.default_rng(seed)
        weight = random.uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
        directions = random.integers(-1, 2, X.shape[1]).tolist()
        for params in GROWTH:
            trees = [
                getattr(home, kind)(random_state=seed, monotonic_cst=directions, **params)
                .fit(X, y, sample_weight=weight if weighted else None)
                .tree_
                for home in (ours, theirs)
            ]
            exact = [[Fraction(float(value)) for value in values] for values in (y, weight)]
            least = params.get("min_samples_leaf", 1)
            oracle = Oracle(X.astype(np.float32), exact[0], exact[1], directions, least, classes)
            verdicts.append(compare(oracle, trees))
    assert "equal" in verdicts or "tie" in verdicts
