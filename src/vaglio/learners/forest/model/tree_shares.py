"""Trees that decide together, read as one set of rules: a row meets one rule of each tree, and their sum counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.model.base import plain_label
from vaglio.model.condition import LinearCondition

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.trees.model.tree import Tree

__all__ = ["TreeShare", "rules_of_trees"]

# Leaves of all trees together: more rules than these nobody reads, and no program takes them as its source.
MOST_LEAVES = 200_000


@dataclass(frozen=True)
class TreeShare:
    """A tree of an ensemble.

    Attributes
    ----------
    tree : Tree
    weight : float
        Of what it says.
    classes : int64 (k,)
        The class codes it knows; empty for numbers.
    columns : int64 (f,) or None
        The columns it sees; None for all.
    crisp : bool
        Whether it puts its whole weight on the class of its leaf.
    """

    tree: Tree
    weight: float
    classes: np.ndarray
    columns: np.ndarray | None = None
    crisp: bool = False


def rules_of_trees(shares: Sequence[TreeShare], features: tuple[Feature, ...], classes: np.ndarray | None) -> RuleSet:
    """Return the rules of all trees as a set that predicts like the trees together."""
    leaves = sum(share.tree.n_leaves for share in shares)
    if leaves > MOST_LEAVES:
        raise NotSupportedError(
            "trees-have-leaves-together",
            "The trees have {leaves:,} leaves together, and at most {most_leaves:,} are written as "
            "rules: learn fewer or smaller trees, or keep the model file.",
            leaves=leaves,
            most_leaves=MOST_LEAVES,
        )
    labels = None if classes is None else tuple(plain_label(label) for label in classes)
    width = 1 if labels is None else len(labels)
    entries: list[Rule] = []
    default = np.zeros(width)
    totals = np.zeros(width)
    for share in shares:
        seen = features if share.columns is None else tuple(features[j] for j in share.columns)
        own = share.tree.rules(seen, None if classes is None else classes[share.classes])
        entries += [_full(rule, share, labels, width) for rule in own]
        default += share.weight * _spread(own.default, share, width)
        totals += _spread(own.totals, share, width)
    if labels is None:
        default /= sum(share.weight for share in shares)
    mean_totals = tuple((totals / len(shares)).tolist())
    return RuleSet(
        tuple(replace(rule, totals=mean_totals) for rule in entries),
        tuple(features),
        labels,
        tuple(default.tolist()),
        mean_totals,
        "mean",
    )


def _full(rule: Rule, share: TreeShare, labels: tuple[Any, ...] | None, width: int) -> Rule:
    """The rule of a tree in the classes and columns of the ensemble, with its weight."""
    conditions = rule.conditions
    if share.columns is not None:
        # Conditions on the tree's own columns as ones on those of the table.
        conditions = tuple(
            replace(c, columns=tuple(int(share.columns[j]) for j in c.columns))
            if isinstance(c, LinearCondition)
            else replace(c, column=int(share.columns[c.column]))
            for c in conditions
        )
    if labels is None:
        return replace(rule, conditions=conditions)
    code = int(share.classes[rule.code])
    says = _spread(rule.weights, share, width)
    if share.crisp:
        says = np.eye(width)[code]
    return replace(
        rule,
        conditions=conditions,
        code=code,
        weights=tuple((share.weight * says).tolist()),
        covered=tuple(_spread(rule.covered, share, width).tolist()),
    )


def _spread(values: Sequence[float], share: TreeShare, width: int) -> np.ndarray:
    spread = np.zeros(width)
    spread[share.classes if len(share.classes) else slice(None)] = values
    return spread
