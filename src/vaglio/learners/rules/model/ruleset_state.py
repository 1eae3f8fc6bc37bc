"""Rule sets in the model file: flat arrays out, checked arrays in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError, damaged_model_file
from vaglio.learners.rules.model.rule import RESOLUTIONS, Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.messages.message import text
from vaglio.model import checks
from vaglio.model.base import Smoothing, State
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)

_RANGE, _SET, _MISSING, _LINEAR = range(4)
_LOW_CLOSED, _HIGH_CLOSED = 1, 2


def to_state(ruleset: RuleSet) -> State:
    """Conditions one after the other; what belongs to a rule or a condition is a slice given by its start."""
    conditions = [condition for rule in ruleset for condition in rule.conditions]
    k = len(ruleset.default)
    parts = [_parts(condition) for condition in conditions]
    kinds, flags, details = zip(*parts) if parts else ((), (), ())
    arrays = {
        "rule_start": _starts([len(rule) for rule in ruleset]),
        "rule_code": np.array([rule.code for rule in ruleset], dtype=np.int32),
        "rule_weights": np.array([rule.weights for rule in ruleset], dtype=np.float64).reshape(-1, k),
        "rule_covered": np.array([rule.covered for rule in ruleset], dtype=np.float64).reshape(-1, k),
        "kind": np.array(kinds, dtype=np.uint8),
        "flags": np.array(flags, dtype=np.uint8),
        "missing": np.array([c.missing for c in conditions], dtype=np.float64),
        "column_start": _starts([len(c.columns) for c in conditions]),
        "column": np.array([j for c in conditions for j in c.columns], dtype=np.int32),
        "detail_start": _starts([len(d) for d in details]),
        "detail": np.array([d for some in details for d in some], dtype=np.float64),
        "default": np.array(ruleset.default, dtype=np.float64),
        "totals": np.array(ruleset.totals, dtype=np.float64),
    }
    smoothing = {"smoothing": ruleset.smoothing.kind, "m": float(ruleset.smoothing.m)}
    return arrays, {"resolution": ruleset.resolution, **smoothing}


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _parts(condition: Condition) -> tuple[int, int, list[float]]:
    """Kind, flags, and bounds, codes, or threshold and coefficients: whole numbers below 2^53 are exact in float64."""
    if isinstance(condition, RangeCondition):
        flags = _LOW_CLOSED * condition.low_closed + _HIGH_CLOSED * condition.high_closed
        return _RANGE, flags, [condition.low, condition.high]
    if isinstance(condition, LinearCondition):
        flags = _LOW_CLOSED * condition.above + _HIGH_CLOSED * condition.closed
        return _LINEAR, flags, [condition.threshold, *condition.coefficients]
    if isinstance(condition, SetCondition):
        return _SET, 0, [float(code) for code in sorted(condition.codes)]
    return _MISSING, 0, []


def from_state(
    arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
) -> RuleSet:
    k = max(n_classes, 1)
    code = checks.array(arrays, "rule_code", np.int32, (None,))
    n = len(code)
    checks.within(code, 0 if n_classes else -1, n_classes, "the class of a rule is out of range")
    weights = checks.array(arrays, "rule_weights", np.float64, (n, k), finite=True)
    covered = checks.array(arrays, "rule_covered", np.float64, (n, k), finite=True)
    default = checks.array(arrays, "default", np.float64, (k,), finite=True)
    totals = checks.array(arrays, "totals", np.float64, (k,), finite=True)
    if n_classes:
        for values in (weights, covered, default, totals):
            checks.sound_weights(values, "a class has an impossible weight")
    conditions = _conditions(arrays, features)
    start = _slices(arrays, "rule_start", n, len(conditions))
    classes = tuple(range(n_classes)) if n_classes else None
    shared = tuple(totals.tolist())
    entries = tuple(
        Rule(
            tuple(conditions[start[i] : start[i + 1]]),
            float(weights[i, 0]) if classes is None else int(code[i]),
            int(code[i]),
            tuple(weights[i].tolist()),
            tuple(covered[i].tolist()),
            shared,
        )
        for i in range(n)
    )
    resolution = checks.number(meta, "resolution", str)
    checks.need(resolution in RESOLUTIONS, "the resolution of the rules is unknown")
    try:
        smoothing = Smoothing(checks.number(meta, "smoothing", str), float(checks.number(meta, "m")))
    except InputError as error:
        raise damaged_model_file(text("the smoothing of the rules is not valid")) from error
    return RuleSet(entries, features, classes, tuple(default.tolist()), shared, resolution, smoothing)


def _slices(arrays: dict[str, np.ndarray], name: str, count: int, length: int) -> list[int]:
    start = checks.array(arrays, name, np.int64, (count + 1,))
    fits = start[0] == 0 and start[-1] == length and (np.diff(start) >= 0).all()
    checks.need(fits, "the array {array!r} is out of range", array=name)
    found: list[int] = start.tolist()
    return found


def _conditions(arrays: dict[str, np.ndarray], features: tuple[Feature, ...]) -> list[Condition]:
    kind = checks.within(
        checks.array(arrays, "kind", np.uint8, (None,)), _RANGE, _LINEAR + 1, "a kind of condition is out of range"
    )
    n = len(kind)
    flags = checks.array(arrays, "flags", np.uint8, (n,))
    missing = checks.array(arrays, "missing", np.float64, (n,), finite=True)
    checks.need(((missing >= 0) & (missing <= 1)).all(), "a share of missing values is impossible")
    column = checks.within(
        checks.array(arrays, "column", np.int32, (None,)), 0, len(features), "a column is out of range"
    ).tolist()
    detail = checks.array(arrays, "detail", np.float64, (None,))
    checks.need(not np.isnan(detail).any(), "a bound is not a number")
    column_start = _slices(arrays, "column_start", n, len(column))
    detail_start = _slices(arrays, "detail_start", n, len(detail))
    values = detail.tolist()
    return [
        _condition(
            int(kind[i]),
            int(flags[i]),
            column[column_start[i] : column_start[i + 1]],
            values[detail_start[i] : detail_start[i + 1]],
            float(missing[i]),
            features,
        )
        for i in range(n)
    ]


def _condition(
    kind: int, flags: int, columns: list[int], detail: list[float], missing: float, features: tuple[Feature, ...]
) -> Condition:
    first, second = bool(flags & _LOW_CLOSED), bool(flags & _HIGH_CLOSED)
    used = tuple(features[column] for column in columns)
    if kind == _LINEAR:
        checks.need(len(detail) == len(columns) + 1 and columns, "a linear condition has no terms")
        checks.need(all(math.isfinite(value) for value in detail), "a linear condition is not finite")
        checks.need(all(feature.in_numeric_block for feature in used), "a linear condition is on words")
        return LinearCondition(tuple(columns), used, tuple(detail[1:]), detail[0], first, second, missing)
    checks.need(len(columns) == 1, "a condition is not on one column")
    feature = used[0]
    checks.need(feature.kind != "text", "a condition is on text")
    if kind == _RANGE:
        checks.need(len(detail) == 2 and feature.in_numeric_block, "a range is not on numbers")
        return RangeCondition(columns[0], feature, detail[0], detail[1], first, second, missing)
    if kind == _SET:
        checks.need(feature.is_nominal, "a set of categories is on a column without them")
        fine = all(code.is_integer() and 0 <= code < len(feature.categories) for code in detail)
        checks.need(fine, "a condition has a category that is not there")
        return SetCondition(columns[0], feature, frozenset(map(int, detail)), missing)
    return MissingCondition(columns[0], feature, missing)
