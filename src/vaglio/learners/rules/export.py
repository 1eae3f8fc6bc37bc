"""Rules as one table of conditions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.part import IN_TURN, MISSING, RANGE, SET, SHARED, SUM, VOTE, Part
from vaglio.fitted import Fitted
from vaglio.learners.rules.model.resolution import SHARED as SHARED_RESOLUTIONS
from vaglio.learners.rules.model.resolution import decision_order
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)


def part_of_rules(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    votes = model.resolution == "vote" or (model.resolution == "mean" and model.classes is not None)
    mode = VOTE if votes else SHARED if model.resolution in SHARED_RESOLUTIONS else IN_TURN
    order = decision_order(model.entries, model.resolution)
    said = (model.votes if votes else model.said)[order] if len(model) else np.zeros((0, max(n_classes, 1)))
    listed = [model.entries[i].conditions for i in order]
    rows = [_condition(condition) for conditions in listed for condition in conditions]
    accept, terms = [row[-2] for row in rows], [row[-1] for row in rows]
    columns = list(zip(*(row[:-2] for row in rows))) or [()] * 7
    names = ("test", "feature", "low", "high", "low_closed", "high_closed", "share")
    types = (np.int64, np.int64, np.float64, np.float64, np.int64, np.int64, np.float64)
    fields = {
        "n_rules": len(order),
        "mode": mode,
        "first": np.cumsum([0, *map(len, listed)]),
        **{name: np.array(column, dtype=kind) for name, column, kind in zip(names, columns, types)},
        "table": np.cumsum([0, *map(len, accept)])[:-1] if accept else np.zeros(0, np.int64),
        "accept": np.concatenate([np.zeros(0, np.int64), *accept]),
        "terms": np.array([len(each) for each in terms], dtype=np.int64),
        "term_start": np.cumsum([0, *map(len, terms)])[:-1] if terms else np.zeros(0, np.int64),
        "term_feature": np.array([j for each in terms for j, _ in each], dtype=np.int64),
        "term_coef": np.array([coef for each in terms for _, coef in each], dtype=np.float64),
        "said": said,
        "otherwise": model.said_by_default,
    }
    return Part("rules", max(n_classes, 1), fields)


def _condition(condition: Condition) -> tuple[Any, ...]:
    """Test, column, ends with whether they are accepted, share of a missing value; accepted codes; terms of a sum."""
    nothing = np.zeros(0, np.int64)
    missing = float(condition.missing)
    if isinstance(condition, LinearCondition):
        low, high = (condition.threshold, math.inf) if condition.above else (-math.inf, condition.threshold)
        terms = list(zip(condition.columns, condition.coefficients))
        closed = int(condition.closed)
        return SUM, 0, low, high, closed, closed, missing, nothing, terms
    column = condition.column
    if isinstance(condition, SetCondition):
        accept = np.zeros(len(condition.feature.categories), np.int64)
        accept[sorted(condition.codes)] = 1
        return SET, column, 0.0, 0.0, 0, 0, missing, accept, []
    if isinstance(condition, MissingCondition):
        return MISSING, column, 0.0, 0.0, 0, 0, missing, nothing, []
    assert isinstance(condition, RangeCondition)
    ends = condition.low, condition.high, int(condition.low_closed), int(condition.high_closed)
    return RANGE, column, *ends, missing, nothing, []


def show_rules(fitted: Fitted) -> str:
    """Return the rules as HTML."""
    page: str = fitted.rules()._repr_html_()
    return page
