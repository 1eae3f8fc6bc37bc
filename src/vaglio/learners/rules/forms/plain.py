"""Rules as JSON, complete, and back. Floats keep every digit; an end without bound is null."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from vaglio.encode import Feature
from vaglio.errors import InputError, ModelFileError
from vaglio.learners.rules.model.rule import Rule
from vaglio.model.base import Smoothing
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)

if TYPE_CHECKING:
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["read_json", "rules_json"]

# Of the JSON; a reader refuses a number it does not know.
_FORMAT = 1


def rules_json(ruleset: RuleSet, indent: int | None = None) -> str:
    content: dict[str, Any] = {
        "format": _FORMAT,
        "classes": None if ruleset.classes is None else list(ruleset.classes),
        "features": [feature.to_state() for feature in ruleset.features],
        "resolution": ruleset.resolution,
        "smoothing": {"kind": ruleset.smoothing.kind, "m": ruleset.smoothing.m},
        "totals": list(ruleset.totals),
        "rules": [
            {
                "conditions": [_plain(condition) for condition in rule.conditions],
                "label": rule.label,
                "weights": list(rule.weights),
                "covered": list(rule.covered),
                "says": said,
            }
            for rule, said in zip(ruleset, ruleset.said.tolist())
        ],
        "default": {"label": ruleset.default_label, "weights": list(ruleset.default)},
    }
    content["default"]["says"] = ruleset.said_by_default.tolist()
    if ruleset.cost is not None:
        content["cost"] = [list(line) for line in ruleset.cost]
    return json.dumps(content, indent=indent, ensure_ascii=False)


def _plain(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, LinearCondition):
        return {
            "test": "linear",
            "columns": [feature.name for feature in condition.features],
            "coefficients": list(condition.coefficients),
            "operator": condition.operator,
            "threshold": condition.threshold,
            "missing": condition.missing,
        }
    plain: dict[str, Any] = {"column": condition.feature.name, "missing": condition.missing}
    if isinstance(condition, MissingCondition):
        return {"test": "missing", **plain}
    if isinstance(condition, SetCondition):
        return {"test": "set", **plain, "values": list(condition.categories)}
    return {
        "test": "range",
        **plain,
        "low": None if condition.low == -math.inf else condition.low,
        "high": None if condition.high == math.inf else condition.high,
        "low_closed": condition.low_closed,
        "high_closed": condition.high_closed,
    }


def read_json(text: str) -> RuleSet:
    from vaglio.learners.rules.model.ruleset import RuleSet

    try:
        content = json.loads(text)
        features = tuple(Feature.from_state(state) for state in content["features"])
        columns = {feature.name: i for i, feature in enumerate(features)}
        classes = None if content["classes"] is None else tuple(content["classes"])
        totals = tuple(map(float, content["totals"]))
        entries = tuple(_rule(rule, columns, features, classes, totals) for rule in content["rules"])
        smoothing = Smoothing(content["smoothing"]["kind"], float(content["smoothing"]["m"]))
        default = tuple(map(float, content["default"]["weights"]))
        cost = None if content.get("cost") is None else tuple(tuple(map(float, line)) for line in content["cost"])
        found = RuleSet(entries, features, classes, default, totals, content["resolution"], smoothing, cost)
        _ = found.costs  # looks at their number and at every value
        return found
    except (KeyError, TypeError, IndexError, ValueError, ModelFileError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"This is not a rule set as to_json writes it: {error}.") from error


def _rule(
    plain: dict[str, Any],
    columns: dict[str, int],
    features: tuple[Feature, ...],
    classes: tuple[Any, ...] | None,
    totals: tuple[float, ...],
) -> Rule:
    conditions = tuple(_condition(condition, columns, features) for condition in plain["conditions"])
    code = -1 if classes is None else classes.index(plain["label"])
    weights, covered = tuple(map(float, plain["weights"])), tuple(map(float, plain["covered"]))
    if len({len(weights), len(covered), len(totals), 1 if classes is None else len(classes)}) != 1:
        raise ValueError("a rule has another number of class weights than there are classes")
    return Rule(conditions, plain["label"], code, weights, covered, totals)


def _condition(plain: dict[str, Any], columns: dict[str, int], features: tuple[Feature, ...]) -> Condition:
    share = float(plain["missing"])
    if not 0 <= share <= 1:
        raise ValueError(f"the share of missing values is {share}")
    if plain["test"] == "linear":
        where = tuple(columns[name] for name in plain["columns"])
        return LinearCondition(
            where,
            tuple(features[i] for i in where),
            tuple(map(float, plain["coefficients"])),
            float(plain["threshold"]),
            above=plain["operator"].startswith(">"),
            closed=plain["operator"].endswith("="),
            missing=share,
        )
    column = columns[plain["column"]]
    feature = features[column]
    if plain["test"] == "missing":
        return MissingCondition(column, feature, share)
    if plain["test"] == "set":
        return SetCondition(column, feature, frozenset(map(feature.categories.index, plain["values"])), share)
    low, high = plain["low"], plain["high"]
    return RangeCondition(
        column,
        feature,
        -math.inf if low is None else float(low),
        math.inf if high is None else float(high),
        plain["low_closed"],
        plain["high_closed"],
        share,
    )
