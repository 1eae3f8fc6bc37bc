"""Rules as a list, each with the number of rows it covers and its accuracy on them."""

from __future__ import annotations

import math
from typing import Any

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.messages.figures import count, figure, percent
from vaglio.messages.message import join, text
from vaglio.messages.sentences import clip
from vaglio.model.condition import condition_text

__all__ = ["rules_part"]

# Conditions shown per rule; longer rules are cut, so that one rule cannot fill the page.
_MOST_CONDITIONS = 12


def rules_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    rules = fitted.rules()
    said = [] if len(rules) else [text("There is no rule: every row gets the same class.")]
    return said, [rules_part(rules, limits, folded=False)]


def rules_part(rules: RuleSet, limits: ChapterLimits, *, folded: bool) -> dict[str, Any]:
    """The rules in the order in which they are applied; if there are many, those that cover most rows."""
    entries = list(rules)
    left_out = len(entries) - limits.rules
    if left_out > 0:
        largest = sorted(range(len(entries)), key=lambda i: -_covered(entries[i]))[: limits.rules]
        entries = [entries[i] for i in sorted(largest)]
    note = (
        text(
            "Covered: training rows that meet the conditions. The number is what the rule predicts, ± the standard "
            "deviation of these rows."
        )
        if rules.classes is None
        else text(
            "Covered: training rows that meet the conditions. Accuracy: share of them that have the class of the rule."
        )
    )
    if left_out > 0:
        shown = text(
            "The {n:,} rules that cover most rows are shown; {left:,} further {left:rule is|rules are} not shown.",
            n=limits.rules,
            left=left_out,
        )
        note = join(" ", [note, shown])
    return {
        "type": "rules",
        "title": text("The rules"),
        "folded": folded,
        "rules": [_rule(rule) for rule in entries],
        "default": clip(figure(rules.default[0], 6) if rules.classes is None else rules.default_label, 40),
        "of_numbers": rules.classes is None,
        "note": note,
    }


def _covered(rule: Rule) -> float:
    return rule.rows


def _rule(rule: Rule) -> dict[str, Any]:
    conditions = [clip(condition_text(condition), 90) for condition in rule.conditions[:_MOST_CONDITIONS]]
    if len(rule.conditions) > _MOST_CONDITIONS:
        left = len(rule.conditions) - _MOST_CONDITIONS
        conditions.append(text("… {n:,} more {n:condition|conditions}", n=left))
    if rule.code < 0:
        spread = "" if rule.spread is None else text("± {spread}", spread=figure(rule.spread))
        return {
            "conditions": conditions or [text("every row")],
            "label": figure(float(str(rule.label)), 6),
            "covered": count(round(rule.rows, 1)),
            "accuracy": spread,
            "share": 0.0,
        }
    accuracy = rule.accuracy
    covered = _covered(rule)
    return {
        "conditions": conditions or [text("every row")],
        "label": clip(rule.label, 40),
        "covered": count(round(covered, 1)),
        "accuracy": percent(accuracy, max(covered, 1)) if math.isfinite(accuracy) else "–",
        "share": float(accuracy) if math.isfinite(accuracy) else 0.0,
    }
