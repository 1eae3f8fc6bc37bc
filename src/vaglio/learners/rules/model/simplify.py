"""Rules against rows: what each covers and decides, which are needed, and the short list of C4.5rules.

1. Each rule drops, one by one, the condition without which its pessimistic error (the upper limit of a binomial
   confidence interval) is lowest, as long as that is no higher than before.
2. For each class, the subset of its rules of least description length is looked for by adding and removing one rule
   at a time: bits for the rules, and bits to name the exceptions (covered rows of other classes, uncovered rows of
   this one).
3. Classes are ordered by fewest false positives on the rows still left; the default is the class most frequent among
   the rows that no rule covers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv, gammaln

from vaglio.errors import InputError
from vaglio.learners.rules.model.rule import SHARED, Rule, decision_order
from vaglio.model.condition import Condition, RangeCondition, SetCondition, merge_conditions
from vaglio.typing import ColumnLike

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix
    from vaglio.learners.rules.model.ruleset import RuleSet


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
    The default follows the rows that no rule takes, and without such rows all of them. Classes that tie for it share
    it by their frequency in all rows, and of equally frequent ones the first to appear comes first: how classes are
    spelled decides nothing.
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
    entries = []
    for i, rule in enumerate(measured):
        stands = decided[i].sum() > 0 and ruleset.decision(decided[i]) == rule.code
        entries.append(replace(rule, weights=tuple((decided[i] if stands else np.eye(k)[rule.code]).tolist())))
    default = class_weights(left, y, weight, k)
    otherwise = _without_tie(default if default.sum() > 0 else np.array(measured.totals), np.array(measured.totals), y)
    return replace(measured, entries=tuple(entries), default=tuple(otherwise.tolist()))


def _without_tie(default: np.ndarray, totals: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return class weights in which no two classes tie for the largest one that is above 0."""
    tied = np.flatnonzero((default == default.max(initial=0.0)) & (default > 0))
    if len(tied) < 2:
        return default
    shares = totals[tied].copy()
    most = tied[shares == shares.max()]
    shares[tied == min(most, key=lambda code: int(np.argmax(y == code)))] += shares.sum() / max(len(y), 1)
    found = default.copy()
    found[tied] = default[tied].sum() * shares / shares.sum()
    return found


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


# Quinlan's weight of the theory against the exceptions: rules describe more than these rows.
_THEORY_WEIGHT = 0.5


def simplify(
    ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray, weight: ColumnLike | None, confidence_factor: float
) -> RuleSet:
    if not 0 < confidence_factor <= 0.5:
        raise InputError(
            "invalid-confidence-factor",
            "confidence_factor must be above 0 and at most 0.5, not {confidence_factor}.",
            confidence_factor=confidence_factor,
        )
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    shorter = [_shortened(rule, matrix, y == rule.code, weight, confidence_factor) for rule in ruleset]
    rules = list({(rule.code, frozenset(rule.conditions)): rule for rule in shorter if rule.conditions}.values())
    chosen = {
        code: _chosen([rule for rule in rules if rule.code == code], matrix, y == code, weight)
        for code in sorted({rule.code for rule in rules})
    }
    entries = tuple(rule for code in _class_order(chosen, matrix, y, weight) for rule in chosen[code])
    return settled(replace(ruleset, entries=entries, resolution="first"), matrix, y, weight)


def pessimistic_error(covered: np.ndarray, errors: np.ndarray, confidence_factor: float) -> np.ndarray:
    """Upper limit of the error rate: the rate at which so few errors have probability CF. 1 when nothing is covered."""
    covered, errors = np.asarray(covered, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    right = np.maximum(covered - errors, 0.0)
    limit = betaincinv(errors + 1.0, np.where(right > 0, right, 1.0), 1.0 - confidence_factor)
    return np.where(right > 0, limit, 1.0)


def settled(ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> RuleSet:
    """Learn the class weights of a list; rules that decide no row, or mostly rows of another class, leave it.

    In a list, every part of the rows then gets its most frequent class, which is right at least as often as one class
    for all. Rules that vote may do worse: as long as they do, the worst of them leaves.
    """
    while True:
        learned = relearned(ruleset, matrix, y, weight)
        keep = tuple(rule for rule, decided in zip(learned, _decided(learned, matrix, y, weight)) if decided)
        if len(keep) == len(learned):
            if learned.resolution != "vote" or not keep:
                return learned
            right = np.argmax(learned.predict_proba(matrix), axis=1) == y
            if (right.sum() if weight is None else weight[right].sum()) >= max(learned.totals) * (1 - 1e-9):
                return learned
            worst = min(keep, key=lambda rule: rule.quality)
            keep = tuple(rule for rule in keep if rule is not worst)
        ruleset = replace(ruleset, entries=keep)


def _decided(ruleset: RuleSet, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> list[bool]:
    if ruleset.resolution in SHARED:
        return [sum(rule.covered) > 0 for rule in ruleset]
    left = np.ones(len(y), dtype=bool)
    stands = [False] * len(ruleset)
    for i in decision_order(ruleset.entries, ruleset.resolution):
        match = (ruleset[i].match(matrix) > 0) & left
        weights = np.bincount(y[match], None if weight is None else weight[match], len(ruleset.default))
        stands[i] = bool(weights.sum() > 0 and ruleset.decision(weights) == ruleset[i].code)
        left &= ~match
    return stands


# -- shorter rules ---------------------------------------------------------------------------------------------------
def _shortened(rule: Rule, matrix: EncodedMatrix, positive: np.ndarray, weight: np.ndarray, cf: float) -> Rule:
    conditions = _one_sided(rule.conditions)
    fails = np.array([~(condition.match(matrix) == 1) for condition in conditions]).reshape(len(conditions), -1)
    while conditions:
        # Row 0: the rule as it is; row i + 1: without condition i, which adds the rows that fail that one alone.
        counts = np.zeros((len(conditions) + 1, 2))
        times = fails.sum(axis=0, dtype=np.int32)
        met, single = np.flatnonzero(times == 0), np.flatnonzero(times == 1)
        counts[:] = np.bincount(positive[met].astype(np.int64), weight[met], 2)
        culprit = fails[:, single].argmax(axis=0)
        cells = np.bincount(culprit * 2 + positive[single], weight[single], 2 * len(conditions))
        counts[1:] += cells.reshape(-1, 2)
        error = pessimistic_error(counts.sum(axis=1), counts[:, 0], cf)
        best = int(np.argmin(error[1:]))
        if error[best + 1] > error[0]:
            break
        del conditions[best]
        fails = np.delete(fails, best, axis=0)
    return replace(rule, conditions=merge_conditions(conditions) or ())


def _one_sided(conditions: tuple[Condition, ...]) -> list[Condition]:
    """Intervals as two conditions, so that one end can go without the other; fractional shares as no match."""
    parts: list[Condition] = []
    for condition in conditions:
        whole = replace(condition, missing=float(condition.missing == 1))
        if isinstance(whole, RangeCondition) and math.isfinite(whole.low) and math.isfinite(whole.high):
            parts += [replace(whole, low=-math.inf), replace(whole, high=math.inf)]
        else:
            parts.append(whole)
    return parts


# -- fewer rules -----------------------------------------------------------------------------------------------------
def _chosen(rules: list[Rule], matrix: EncodedMatrix, positive: np.ndarray, weight: np.ndarray) -> list[Rule]:
    """Hill climbing from all rules: the change of one rule that saves most bits, until none does."""
    match = np.array([rule.match(matrix) == 1 for rule in rules])
    bits = np.array([_THEORY_WEIGHT * _rule_bits(rule, matrix) for rule in rules])
    inside = np.ones(len(rules), dtype=bool)
    times = match.sum(axis=0, dtype=np.int32)
    gain = np.stack([weight * ~positive, weight * positive])
    total = gain.sum(axis=1)
    while True:
        covered = gain[:, times > 0].sum(axis=1)
        # What a rule alone covers (to lose when it goes), or would newly cover (to win when it comes).
        own = match[:, times == 1] @ gain[:, times == 1].T
        new = match[:, times == 0] @ gain[:, times == 0].T
        change = np.where(inside[:, None], -own, new)
        theory = (bits * inside).sum() + np.where(inside, -bits, bits)
        cost = theory + _exception_bits(covered + change, total)
        now = (bits * inside).sum() + _exception_bits(covered[None], total)[0]
        best = int(np.argmin(cost))
        if cost[best] >= now - 1e-9:
            break
        times = times - match[best] if inside[best] else times + match[best]
        inside[best] = ~inside[best]
    return [rule for rule, kept in zip(rules, inside) if kept]


def _rule_bits(rule: Rule, matrix: EncodedMatrix) -> float:
    """Bits to name the conditions, less what their free order saves."""
    bits = 0.0
    for condition in rule.conditions:
        bits += math.log2(max(matrix.n_features, 2))
        if isinstance(condition, SetCondition):
            k, s = len(condition.feature.categories), len(condition.codes)
            bits += float(_log2_choose(np.array(k), np.array(s)))
        else:
            bits += math.log2(max(matrix.n_rows, 2))
    return max(bits - math.lgamma(len(rule.conditions) + 1) / math.log(2), 0.0)


def _exception_bits(covered: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Bits to point out the false positives among the covered rows and the false negatives among the others."""
    covered = np.maximum(covered, 0.0)
    inside, outside = covered.sum(axis=1), np.maximum(total.sum() - covered.sum(axis=1), 0.0)
    missed = np.clip(total[1] - covered[:, 1], 0.0, outside)
    found: np.ndarray = _log2_choose(inside, np.minimum(covered[:, 0], inside)) + _log2_choose(outside, missed)
    return found


def _log2_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    found: np.ndarray = (gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)) / math.log(2)
    return found


def _class_order(chosen: dict[int, list[Rule]], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray) -> list[int]:
    """The class whose rules err least on the rows still left comes next."""
    covers = {
        code: np.any([rule.match(matrix) == 1 for rule in rules], axis=0) for code, rules in chosen.items() if rules
    }
    left = np.ones(len(y), dtype=bool)
    order = []
    while covers:
        wrong = {code: float(weight[covers[code] & left & (y != code)].sum()) for code in covers}
        code = min(wrong, key=lambda c: (wrong[c], c))
        left &= ~covers.pop(code)
        order.append(code)
    return order
