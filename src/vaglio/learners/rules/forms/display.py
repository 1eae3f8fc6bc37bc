"""Rules for a notebook: as a data frame with one line per rule, and as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from vaglio.model.condition_text import condition_text
from vaglio.table import as_frame

if TYPE_CHECKING:
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["rules_frame", "rules_html"]

# A forest has thousands of rules; a notebook is for reading.
_MOST_SHOWN = 60


def rules_frame(ruleset: RuleSet) -> Any:
    """Return conditions, label and statistics of every rule; numbers have no classes to count."""
    columns = ["conditions", "label", "positives", "negatives", "coverage", "accuracy", "class_coverage", "lift"]
    if ruleset.classes is None:
        columns = ["conditions", "label", "coverage"]
    lines = []
    for rule in ruleset:
        meets = " AND ".join(condition_text(condition) for condition in rule.conditions) or "ANYTHING"
        lines.append({"conditions": meets, **{name: getattr(rule, name) for name in columns[1:]}})
    return as_frame(lines, columns)


def rules_html(ruleset: RuleSet) -> str:
    """Return the first rules as text that keeps its lines."""
    lines = str(ruleset).splitlines()
    if len(lines) > _MOST_SHOWN:
        lines = [*lines[:_MOST_SHOWN], f"… and {len(lines) - _MOST_SHOWN:,} more"]
    return f'<pre style="white-space:pre-wrap">{escape(chr(10).join(lines))}</pre>'
