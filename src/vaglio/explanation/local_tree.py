"""A small tree grown on the rows nearest to one case: why its neighbourhood is as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.model.neighbors.neighbors import Neighbors
from vaglio.model.rules.rule import Rule
from vaglio.model.rules.ruleset import RuleSet
from vaglio.model.trees.tree import Tree, kernel_features
from vaglio.model.trees.tree_rules import rules_of_tree

# Enough rows for a split to mean something: more than vote, far fewer than all.
NEIGHBORHOOD = 50


@dataclass(frozen=True, eq=False)
class LocalTree:
    """The neighbourhood of a case, read as a tree.

    Attributes
    ----------
    rows : int64 (k,)
        The training rows it was grown on, nearest first.
    distances : float64 (k,)
    tree : Tree
    rules : RuleSet
        One rule a leaf.
    rule : Rule
        The one the case meets.
    """

    rows: np.ndarray
    distances: np.ndarray
    tree: Tree
    rules: RuleSet
    rule: Rule

    def to_text(self) -> str:
        """Return the neighbourhood and its rules as lines a person reads."""
        head = f"among the {len(self.rows)} nearest rows (up to a distance of {self.distances[-1]:.4g})"
        return f"{head}, the case meets:\n  {self.rule}\nall rules:\n{self.rules}"

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
    """Grow a tree on the rows nearest to the one row of ``case``; leaves hold a tenth of them at least."""
    rows, distances = model.nearest(case, n_neighbors)
    near = model.of_rows(rows[0])
    matrix = near.stored(features)
    ranks = matrix.ranks()
    nominal, column, n_categories = kernel_features(features)
    arrays = _core.grow_tree(
        _core.TreeTable(ranks.numeric, ranks.ranks, ranks.firsts, matrix.codes, n_categories, nominal, column),
        near.target,
        model.n_classes,
        weight=near.weight if near.weight.size else None,
        config=_config(model, float(near.weight.sum()) if near.weight.size else float(near.n_rows), max_depth),
    )
    tree = Tree.from_kernel(arrays, smoothing="none", m=2.0, regression=model.n_classes == 0)
    rules = rules_of_tree(tree, features, classes)
    rule = max(rules, key=lambda rule: float(rule.match(case)[0]))
    return LocalTree(rows[0], distances[0], tree, rules, rule)


def _config(model: Neighbors, total: float, max_depth: int) -> dict[str, Any]:
    return {
        "criterion": "gini" if model.n_classes else "squared_error",
        "nominal_split": "subset",
        "missing": "learnt",
        "max_depth": max_depth,
        "min_rows_leaf": max(1.0, total / 10),
    }
