"""Why a set of rules gave a row its class: what fired, what almost did, or that the default spoke."""

from __future__ import annotations

import math

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.model.condition import Condition, LinearCondition, RangeCondition, SetCondition
from vaglio.model.resolution import decision_order
from vaglio.model.rule import Rule
from vaglio.model.ruleset import RuleSet

# More rules than this that fired or almost did are counted, not listed.
_LISTED = 3
# Changes tried before giving up on a counterfactual.
_TRIED = 20


def explain_rules(model: RuleSet, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row by the rules, in the names of the table."""
    rules = model.rules(context.features, context.classes)
    said = rules.predict_proba(matrix)
    # What each condition of each rule makes of each row, computed once for all rows.
    met = [[condition.match(matrix) for condition in rule.conditions] for rule in rules]
    order = decision_order(rules.entries, rules.resolution)
    return [_explain(rules, matrix, context, row, said[row], met, order) for row in range(matrix.n_rows)]


def _explain(
    rules: RuleSet,
    matrix: EncodedMatrix,
    context: Context,
    row: int,
    said: np.ndarray,
    met: list[list[np.ndarray]],
    order: list[int],
) -> Explanation:
    shares = {i: math.prod(float(match[row]) for match in met[i]) for i in order}
    fired = [i for i in order if shares[i] > 0]
    if rules.classes is None:
        reasons = _conditions(rules[fired[0]], matrix, context, row) if fired else ()
        return Explanation(float(said[0]), reasons=reasons, notes=_sharing(shares, fired))
    best = int(np.argmax(said))
    second = int(np.argsort(-said, kind="stable")[1]) if len(said) > 1 else None
    deciding = fired if rules.resolution in ("vote", "exclusive") else fired[:1]
    reasons = tuple(
        reason for i in deciding if rules[i].code == best for reason in _reasons(rules, i, matrix, context, row)
    )
    notes = _default_note(rules, fired) + _sharing(shares, fired) + _others(rules, fired, deciding)
    against = tuple(_as_a_whole(rules[i]) for i in deciding if rules[i].code != best)
    return Explanation(
        context.label(best),
        float(said[best]),
        None if second is None or said[second] <= 0 else context.label(second),
        reasons,
        against,
        notes + _near(rules, met, row),
        _counterfactual(rules, matrix, context, row, best, met, fired),
    )


def _reasons(rules: RuleSet, i: int, matrix: EncodedMatrix, context: Context, row: int) -> tuple[Reason, ...]:
    """A deciding rule by its conditions; among several, each rule in one line."""
    if rules.resolution == "vote" or not rules[i].conditions:
        return (_as_a_whole(rules[i]),)
    return _conditions(rules[i], matrix, context, row)


def _as_a_whole(rule: Rule) -> Reason:
    counted = f" ({rule.positives:g} of {sum(rule.covered):g} rows)" if sum(rule.covered) > 0 else ""
    return Reason(f"{rule}{counted}", weight=rule.positives or None)


def _conditions(rule: Rule, matrix: EncodedMatrix, context: Context, row: int) -> tuple[Reason, ...]:
    reasons = []
    for condition in rule.conditions:
        if isinstance(condition, LinearCondition):
            reasons.append(Reason(str(condition)))
        else:
            value = context.value(matrix, row, condition.column)
            reasons.append(Reason(str(condition), condition.feature.name, value))
    return tuple(reasons)


def _default_note(rules: RuleSet, fired: list[int]) -> tuple[str, ...]:
    return () if fired else (f"no rule fires, so the default speaks: {rules.default_label}",)


def _sharing(shares: dict[int, float], fired: list[int]) -> tuple[str, ...]:
    if fired and any(shares[i] < 1 for i in fired):
        return (
            f"values are missing: {len(fired)} rules share the row, the largest share is {max(shares.values()):.0%}",
        )
    return ()


def _others(rules: RuleSet, fired: list[int], deciding: list[int]) -> tuple[str, ...]:
    """Rules that fired but did not count, by the resolution."""
    later = [i for i in fired if i not in deciding]
    notes = [f"also met, but not asked ({rules.resolution} rule decides): {rules[i]}" for i in later[:_LISTED]]
    return (*notes, *_more(len(later), "met but not asked"))


def _near(rules: RuleSet, met: list[list[np.ndarray]], row: int) -> tuple[str, ...]:
    """Rules that only one condition kept from firing."""
    notes = []
    for i, matches in enumerate(met):
        failed = [j for j, match in enumerate(matches) if match[row] == 0]
        if len(failed) == 1 and len(matches) > 1:
            notes.append(f"almost: {rules[i]}; not met: {rules[i].conditions[failed[0]]}")
    return (*notes[:_LISTED], *_more(len(notes), "that almost fire"))


def _more(count: int, what: str) -> tuple[str, ...]:
    return (f"and {count - _LISTED} more rules {what}",) if count > _LISTED else ()


def _counterfactual(
    rules: RuleSet,
    matrix: EncodedMatrix,
    context: Context,
    row: int,
    best: int,
    met: list[list[np.ndarray]],
    fired: list[int],
) -> str | None:
    """A small change that flips the class: the unmet conditions of another class's rule, or one of the rule that fired.

    Each is tried on a copy of the row, since another rule may step in; fewest conditions first.
    """
    changes: list[tuple[list[Condition], bool]] = []
    for i, matches in enumerate(met):
        failed = [rules[i].conditions[j] for j, match in enumerate(matches) if match[row] == 0]
        if failed and rules[i].code != best:
            changes.append((failed, True))
    changes += [([condition], False) for i in fired[:1] for condition in rules[i].conditions]
    changes.sort(key=lambda change: len(change[0]))
    copy = matrix.take(np.array([row]))
    for conditions, meet in changes[:_TRIED]:
        if all(isinstance(c, RangeCondition | SetCondition) for c in conditions) and _flips(
            rules, copy, conditions, meet, best
        ):
            return " and ".join(_change_text(c, meet, matrix, context, row) for c in conditions)
    return None


def _change_text(condition: Condition, meet: bool, matrix: EncodedMatrix, context: Context, row: int) -> str:
    now = context.value(matrix, row, condition.columns[0])
    return f"{'' if meet else 'not '}{condition} (now {'missing' if now is None else now})"


def _flips(rules: RuleSet, row: EncodedMatrix, conditions: list[Condition], meet: bool, best: int) -> bool:
    """Whether the class changes once the conditions are met (or the one is not)."""
    for alternative in range(max(len(_values(condition, meet)) for condition in conditions)):
        numeric, codes = np.array(row.numeric), np.asfortranarray(np.array(row.codes))
        for condition in conditions:
            values = _values(condition, meet)
            if not values:
                return False
            block = codes if isinstance(condition, SetCondition) else numeric
            block[0, row.position[condition.columns[0]]] = values[min(alternative, len(values) - 1)]
        changed = EncodedMatrix(row.features, numeric, codes, row.text)
        if int(np.argmax(rules.predict_proba(changed)[0])) != best:
            return True
    return False


def _values(condition: Condition, meet: bool) -> list[float]:
    """Values just inside (or outside) what a condition accepts."""
    if isinstance(condition, SetCondition):
        every = range(len(condition.feature.categories))
        return [code for code in every if (code in condition.codes) == meet]
    assert isinstance(condition, RangeCondition)
    step = 1.0 if condition.feature.kind == "ordinal" else 0.0
    ends = []
    for end, outward in ((condition.low, -math.inf), (condition.high, math.inf)):
        if math.isfinite(end):
            towards = -outward if meet else outward
            ends += [end, end + math.copysign(step, towards) if step else float(np.nextafter(end, towards))]
    return [value for value in ends if _accepts(condition, value) == meet]


def _accepts(condition: RangeCondition, value: float) -> bool:
    above = value >= condition.low if condition.low_closed else value > condition.low
    below = value <= condition.high if condition.high_closed else value < condition.high
    return above and below
