"""Why a set of rules gave a row its class: what fired, what almost did, or that the default spoke."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context, shown
from vaglio.explanation.counterfactual.black_box import search, smaller
from vaglio.explanation.counterfactual.strategy import Found, Question
from vaglio.explanation.explanation import Explanation, Reason, in_words, reasons_of
from vaglio.learners.rules.explain.regions import Boxes, enter_boxes
from vaglio.learners.rules.model.resolution import SHARED, decision_order
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.model.condition import RangeCondition

# More rules than this that fired or almost did are counted, not listed.
_LISTED = 3


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
        reasons = tuple(reasons_of(rules[fired[0]].conditions, matrix, row, context)) if fired else ()
        return Explanation(float(said[0]), reasons=reasons, notes=_sharing(shares, fired))
    best, second = [*context.ranked(said), None][:2]
    assert best is not None
    deciding = fired if rules.resolution in SHARED else fired[:1]
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
        notes + _near(rules, met, matrix, context, row),
        measure="training rows the rule is right on" if any(r.weight for r in (*reasons, *against)) else None,
    )


def _reasons(rules: RuleSet, i: int, matrix: EncodedMatrix, context: Context, row: int) -> tuple[Reason, ...]:
    """A deciding rule by its conditions; among several, each rule in one line."""
    if rules.resolution == "vote" or not rules[i].conditions:
        return (_as_a_whole(rules[i]),)
    return tuple(reasons_of(rules[i].conditions, matrix, row, context))


def _as_a_whole(rule: Rule) -> Reason:
    counted = f" ({rule.positives:g} of {sum(rule.covered):g} rows)" if sum(rule.covered) > 0 else ""
    return Reason(f"{rule}{counted}", weight=rule.positives or None)


def _default_note(rules: RuleSet, fired: list[int]) -> tuple[str, ...]:
    return () if fired else (f"no rule fires, so the default decides: {rules.default_label}",)


def _sharing(shares: dict[int, float], fired: list[int]) -> tuple[str, ...]:
    if fired and any(shares[i] < 1 for i in fired):
        return (
            f"values are missing: {len(fired)} rules share the row, the largest share is {max(shares.values()):.0%}",
        )
    return ()


def _others(rules: RuleSet, fired: list[int], deciding: list[int]) -> tuple[str, ...]:
    """Rules that fired but did not count, by the resolution."""
    later = [i for i in fired if i not in deciding]
    notes = [f"also met, but not used ({rules.resolution} rule decides): {rules[i]}" for i in later[:_LISTED]]
    return (*notes, *_more(len(later), "met but not used"))


def _near(
    rules: RuleSet, met: list[list[np.ndarray]], matrix: EncodedMatrix, context: Context, row: int
) -> tuple[str, ...]:
    """Rules that only one condition kept from firing."""
    notes = []
    for i, matches in enumerate(met):
        failed = [j for j, match in enumerate(matches) if match[row] == 0]
        if len(failed) == 1 and len(matches) > 1:
            condition = rules[i].conditions[failed[0]]
            now = ""
            if len(condition.columns) == 1:
                value = context.value(matrix, row, condition.columns[0])
                now = " (it is missing)" if value is None else f" (it is {shown(value)})"
            notes.append(f"almost: {rules[i]}; not met: {in_words(condition, context)}{now}")
    return (*notes[:_LISTED], *_more(len(notes), "that almost fire"))


def _more(count: int, what: str) -> tuple[str, ...]:
    return (f"and {count - _LISTED} more rules {what}",) if count > _LISTED else ()


def change_into_a_rule(question: Question, rows: np.ndarray) -> Found:
    """Take the smaller of two changes: into the nearest rule of another class, or one found by search.

    The search also finds the way out of a rule, after which the default or a later rule decides.
    """
    near = enter_boxes(question, Boxes.of_rules(question, question.model), rows)
    return smaller(question, near, search(question, rows))


def ends_of_ranges(model: RuleSet, context: Context) -> dict[int, Sequence[float]]:
    """The ends of the ranges that the rules test, by feature."""
    found: dict[int, list[float]] = {}
    for rule in model:
        for condition in rule.conditions:
            if isinstance(condition, RangeCondition):
                found.setdefault(condition.column, []).extend([condition.low, condition.high])
    return {j: [end for end in ends if math.isfinite(end)] for j, ends in found.items()}
