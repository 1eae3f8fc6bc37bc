"""A small tree grown on the training rows nearest to one row: what its neighbourhood has in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.neighbors.model.neighbors import Neighbors
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.model.grower import grow_tree
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_rules import rules_of_tree

# Enough rows for a split to mean something: more than vote, far fewer than all.
NEIGHBORHOOD = 50


@dataclass(frozen=True, eq=False)
class LocalTree:
    """The neighbourhood of a row, read as a tree.

    Attributes
    ----------
    rows : int64 (k,)
        The training rows it was grown on, nearest first.
    distances : float64 (k,)
    tree : Tree
    rules : RuleSet
        One rule per leaf.
    rule : Rule
        The one the row meets.
    """

    rows: np.ndarray
    distances: np.ndarray
    tree: Tree
    rules: RuleSet
    rule: Rule

    def to_text(self) -> str:
        """Return the neighbourhood and its rules as lines a person reads."""
        head = f"among the {len(self.rows)} nearest rows (up to a distance of {self.distances[-1]:.4g})"
        return f"{head}, the row meets:\n  {self.rule}\nall rules:\n{self.rules}"

    def __str__(self) -> str:
        return self.to_text()


def grow_local_tree(
    model: Neighbors,
    case: EncodedMatrix,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    n_neighbors: int = NEIGHBORHOOD,
    max_depth: int = 3,
) -> LocalTree:
    """Grow a tree on the training rows nearest to one row; every leaf holds a tenth of them at least.

    Parameters
    ----------
    model : Neighbors
    case : EncodedMatrix
        The one row.
    features : tuple of Feature
    classes : ndarray or None
        Class labels; None for numbers.
    n_neighbors : int
        How many training rows make the neighbourhood.
    max_depth : int
        Tests on a path: with more, the rule of the row is no longer read at a glance.
    """
    rows, distances = model.nearest(case, n_neighbors)
    near = model.of_rows(rows[0])
    weight = near.weight / near.weight.max() if near.weight.size else None
    config = _config(model, near.n_rows, max_depth)
    tree = grow_tree(near.stored(features), near.target, model.n_classes, weight, config)
    rules = rules_of_tree(tree, features, classes)
    rule = max(rules, key=lambda rule: float(rule.match(case)[0]))
    return LocalTree(rows[0], distances[0], tree, rules, rule)


def _config(model: Neighbors, n_rows: int, max_depth: int) -> _core.TreeConfig:
    """The options in the words of the grower."""
    return _core.TreeConfig(
        criterion="gini" if model.n_classes else "squared_error",
        nominal_split="subset",
        missing="learned",  # missing values go to the branch that makes the split better
        max_depth=max_depth,
        min_rows_leaf=max(1.0, n_rows / 10),
    )
