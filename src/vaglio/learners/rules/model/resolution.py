"""What a set of rules says when several rules fire, or none (the resolution order of a RuleSet)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vaglio.learners.rules.model.rule import Rule

__all__ = ["RESOLUTIONS", "SHARED", "decision_order", "resolve"]

# What decides when several rules fire; RuleSet says what each means.
RESOLUTIONS = ("exclusive", "first", "vote", "mean", "specific", "quality")
# Those by which every rule that fires counts, not the first alone.
SHARED = ("exclusive", "vote", "mean")

# Shares of a row are products of floating-point fractions: a rest below this is rounding, not weight left over.
_ROUNDING = 1e-9


def decision_order(rules: Sequence[Rule], resolution: str) -> list[int]:
    """The order in which rules are tried.

    ``specific`` and ``quality`` are ``first`` over another order: neither the number of conditions nor the quality of a
    rule depends on the row. Ties: the better rule, then the earlier one.
    """
    if resolution == "specific":
        return sorted(range(len(rules)), key=lambda i: (-len(rules[i]), -rules[i].quality, i))
    if resolution == "quality":
        return sorted(range(len(rules)), key=lambda i: (-rules[i].quality, i))
    return list(range(len(rules)))


def resolve(
    matches: Sequence[np.ndarray], said: np.ndarray, default: np.ndarray, rules: Sequence[Rule], resolution: str
) -> np.ndarray:
    """Combine what the rules say into one distribution per row.

    Parameters
    ----------
    matches : share of each row that each rule takes, one array per rule
    said : (rules, K) probabilities of each rule; for ``vote`` and ``mean`` its class weights
    default : (K,) what a row gets that no rule takes
    """
    if resolution == "vote" or (resolution == "mean" and rules[0].code >= 0):
        return _vote(matches, said, default)
    n_rows = len(matches[0]) if len(matches) else 0
    result = np.zeros((n_rows, said.shape[1]))
    left = np.ones(n_rows)
    for i in decision_order(rules, resolution):
        taken = matches[i] * 1.0 if resolution in SHARED else left * matches[i]
        rows = np.flatnonzero(taken)
        result[rows] += taken[rows, None] * said[i]
        left -= taken
    rest = np.flatnonzero(left > _ROUNDING)
    result[rest] += left[rest, None] * default
    # The numbers of several trees: a row meets one rule of each, and their mean counts.
    several = np.flatnonzero(left < -_ROUNDING)
    result[several] /= 1.0 - left[several, None]
    return result


def _vote(matches: Sequence[np.ndarray], weights: np.ndarray, default: np.ndarray) -> np.ndarray:
    """Sum the class weights of all rules that fire."""
    result = np.zeros((len(matches[0]), weights.shape[1]))
    for match, weight in zip(matches, weights):
        rows = np.flatnonzero(match)
        result[rows] += match[rows, None] * weight
    total = result.sum(axis=1, keepdims=True)
    return np.where(total > 0, result / np.where(total > 0, total, 1.0), default)
