"""Rules as a data frame: one line per rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.model.rules.export.text import condition_text
from vaglio.table import as_frame

if TYPE_CHECKING:
    from vaglio.model.rules.ruleset import RuleSet

__all__ = ["rules_frame"]


def rules_frame(ruleset: RuleSet) -> Any:
    columns = ["conditions", "label", "positives", "negatives", "coverage", "accuracy", "class_coverage", "lift"]
    if ruleset.classes is None:
        columns = ["conditions", "label", "coverage"]
    lines = []
    for rule in ruleset:
        meets = " AND ".join(condition_text(condition) for condition in rule.conditions) or "ANYTHING"
        lines.append({"conditions": meets, **{name: getattr(rule, name) for name in columns[1:]}})
    return as_frame(lines, columns)
