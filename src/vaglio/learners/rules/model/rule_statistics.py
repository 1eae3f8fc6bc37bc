"""Rules against rows: how many rows each meets, decides, shares with another, and which rules are needed at all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vaglio.learners.rules.model.resolution import SHARED, decision_order

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["class_weights", "counted", "minimal_cover", "overlap", "relearned"]


def class_weights(shares: np.ndarray, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Weight of each class among rows taken with the given shares."""
    if shares.dtype == bool:
        taken = np.flatnonzero(shares)
        return np.bincount(y[taken], None if weight is None else weight[taken], n_classes).astype(np.float64)
    return np.bincount(y, shares if weight is None else shares * weight, n_classes).astype(np.float64)


def counted(ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> RuleSet:
    """The same rules with ``covered`` and ``totals`` counted on these rows."""
    k = len(ruleset.default)
    weight = None if weight is None else np.asarray(weight, dtype=np.float64)
    totals = tuple(class_weights(np.ones(len(y), dtype=bool), y, weight, k).tolist())
    entries = tuple(
        replace(rule, covered=tuple(class_weights(rule.match(matrix), y, weight, k).tolist()), totals=totals)
        for rule in ruleset
    )
    return replace(ruleset, entries=entries, totals=totals)


def relearned(ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> RuleSet:
    """The same conditions with all class weights learned from these rows.

    A rule keeps its label, with certainty if its rows now favour another class: its author had a reason.
    The default follows the rows that no rule takes, and without such rows all of them.
    """
    weight = None if weight is None else np.asarray(weight, dtype=np.float64)
    measured = counted(ruleset, matrix, y, weight)
    k = len(ruleset.default)
    left = np.ones(matrix.n_rows, dtype=bool)
    decided: dict[int, np.ndarray] = {}
    for i in decision_order(measured.entries, ruleset.resolution):
        match = measured[i].match(matrix)
        shared = ruleset.resolution in SHARED
        decided[i] = class_weights(match if shared else left * match, y, weight, k)
        # Whole rows stay bits, which are counted faster; a share makes them numbers.
        left = left & ~match if match.dtype == bool and left.dtype == bool else left * (1.0 - match)
    entries = tuple(replace(rule, weights=_standing(ruleset, rule.code, decided[i])) for i, rule in enumerate(measured))
    default = class_weights(left, y, weight, k)
    return replace(measured, entries=entries, default=tuple(default.tolist()) if default.sum() > 0 else measured.totals)


def _standing(ruleset: RuleSet, code: int, weights: np.ndarray) -> tuple[float, ...]:
    if weights.sum() > 0 and ruleset.decision(weights) == code:
        return tuple(weights.tolist())
    return tuple(1.0 if i == code else 0.0 for i in range(len(weights)))


def overlap(ruleset: RuleSet, matrix: EncodedMatrix) -> np.ndarray:
    """(rules, rules) weight of the rows that meet both."""
    matches = np.array([rule.match(matrix) for rule in ruleset], dtype=np.float64).reshape(len(ruleset), matrix.n_rows)
    return matches @ matches.T


def minimal_cover(ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray) -> RuleSet:
    """Greedy set cover of the rows covered with the right class, then without the rules that became needless.

    The smallest cover is NP-hard; greedy is within a factor ln(n) of it, and the last step leaves no rule that could be
    dropped alone.
    """
    right = np.array([(rule.match(matrix) > 0) & (y == rule.code) for rule in ruleset], dtype=bool)
    right = right.reshape(len(ruleset), matrix.n_rows)
    wanted = right.any(axis=0)
    chosen: list[int] = []
    while wanted.any():
        best = int(np.argmax((right & wanted).sum(axis=1)))
        chosen.append(best)
        wanted &= ~right[best]
    times = right[chosen].sum(axis=0)
    for rule in sorted(chosen, key=lambda i: (right[i].sum(), -i)):
        if (times[right[rule]] > 1).all():
            chosen.remove(rule)
            times = times - right[rule]
    return replace(ruleset, entries=tuple(ruleset[i] for i in sorted(chosen)))
