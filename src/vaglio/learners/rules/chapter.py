"""Rules as a list, each with the number of rows it covers and its accuracy on them."""

from __future__ import annotations

import math
from typing import Any

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.messages.figures import count, percent
from vaglio.messages.sentences import clip, plural
from vaglio.model.condition_text import condition_text

__all__ = ["rules_part"]

# Conditions shown per rule; longer rules are cut, so that one rule cannot fill the page.
_MOST_CONDITIONS = 12


def rules_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    rules = fitted.rules()
    said = [] if len(rules) else ["There is no rule: every row gets the same class."]
    return said, [rules_part(rules, limits, folded=False)]


def rules_part(rules: RuleSet, limits: ChapterLimits, *, folded: bool) -> dict[str, Any]:
    """The rules in the order in which they are applied; if there are many, those that cover most rows."""
    entries = list(rules)
    left_out = len(entries) - limits.rules
    if left_out > 0:
        largest = sorted(range(len(entries)), key=lambda i: -_covered(entries[i]))[: limits.rules]
        entries = [entries[i] for i in sorted(largest)]
    note = "Covered: training rows that meet the conditions. Accuracy: share of them that have the class of the rule."
    if left_out > 0:
        note += (
            f" Shown are the {limits.rules} rules that cover most rows; {plural(left_out, 'further rule')} not shown."
        )
    return {
        "type": "rules",
        "title": "The rules",
        "folded": folded,
        "rules": [_rule(rule) for rule in entries],
        "default": clip(rules.default_label, 40),
        "note": note,
    }


def _covered(rule: Rule) -> float:
    return rule.positives + rule.negatives


def _rule(rule: Rule) -> dict[str, Any]:
    conditions = [clip(condition_text(condition), 90) for condition in rule.conditions[:_MOST_CONDITIONS]]
    if len(rule.conditions) > _MOST_CONDITIONS:
        conditions.append(f"… {len(rule.conditions) - _MOST_CONDITIONS} more conditions")
    accuracy = rule.accuracy
    covered = _covered(rule)
    return {
        "conditions": conditions or ["every row"],
        "label": clip(rule.label, 40),
        "covered": count(round(covered, 1)),
        "accuracy": percent(accuracy, max(covered, 1)) if math.isfinite(accuracy) else "–",
        "share": float(accuracy) if math.isfinite(accuracy) else 0.0,
    }
