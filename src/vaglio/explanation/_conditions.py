"""Conditions of a path or a rule as reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Reason
from vaglio.model.rules.condition import Condition, LinearCondition, RangeCondition


def reasons_of(conditions: Iterable[Condition], matrix: EncodedMatrix, row: int, context: Context) -> list[Reason]:
    """Return one reason per condition, with what the row has in its column."""
    reasons = []
    for condition in conditions:
        if isinstance(condition, LinearCondition):
            reasons.append(Reason(str(condition)))
        else:
            column = condition.columns[0]
            value = context.value(matrix, row, column)
            reasons.append(Reason(in_words(condition, context), context.features[column].name, value))
    return reasons


def in_words(condition: Condition, context: Context) -> str:
    """Return a condition as text; dates as dates, not as days since 1970."""
    if not isinstance(condition, RangeCondition) or not condition.feature.is_date:
        return str(condition)
    name, parts = condition.feature.name, []
    if math.isfinite(condition.low):
        after = "from" if condition.low_closed else "after"
        parts.append(f"{after} {context.decoded(condition.column, condition.low)}")
    if math.isfinite(condition.high):
        until = "until" if condition.high_closed else "before"
        parts.append(f"{until} {context.decoded(condition.column, condition.high)}")
    return f"{name} {' and '.join(parts)}" if parts else str(condition)
