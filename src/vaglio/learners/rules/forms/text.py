"""Rules to read: as text that :mod:`~vaglio.learners.rules.forms.parse` reads back, as JSON, as a frame, as HTML.

::

    CLASSES no, yes
    COLUMN outlook: overcast, rain, sunny
    COLUMN humidity: number
    COLUMN sent: date
    COLUMN size: small < medium < large
    CHOOSE first
    SMOOTHING laplace
    ROWS [no 5, yes 9]
    COST no [yes 1]
    COST yes [no 10]
    IF outlook = sunny AND humidity > 77.5 THEN no [no 3]
    IF (70 < humidity <= 80 OR MISSING 0.25) AND size IN {small, medium} THEN yes [yes 2] COVERS [no 1, yes 4]
    IF sent <= 2024-01-31 12:00:00 THEN no [no 2]
    ELSE yes [no 2, yes 7]

A text is tested for single words: ``IF subject contains "offer" AND subject does not contain "report" THEN spam``.

Words stand bare where that is clear, else in JSON quotes. After a label stand the class weights its probabilities come
from; COVERS gives those of all rows that meet the conditions, where they differ. COST says, by true class, what a
prediction costs that is not free: with it the class of least expected cost is decided for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from vaglio.encode import Feature
from vaglio.errors import InputError, ModelFileError
from vaglio.learners.rules.model.rule import Rule
from vaglio.messages.figures import figure
from vaglio.model.base import Smoothing
from vaglio.model.calibration import Calibration
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
    condition_text,
    listed_values,
    number_text,
    rule_message,
    value_text,
)
from vaglio.table import as_frame

if TYPE_CHECKING:
    from vaglio.learners.rules.model.ruleset import RuleSet


def rule_text(rule: Rule, exact: bool = False, classes: Sequence[Any] | None = None) -> str:
    """Return a rule: a message for a person, or the exact text that rules are read from, with its class weights."""
    if not exact:
        label = figure(rule.label, 6) if isinstance(rule.label, float) and rule.code < 0 else value_text(rule.label)
        return rule_message(map(condition_text, rule.conditions), label)
    meets = " AND ".join(condition_text(condition, exact) for condition in rule.conditions) or "ANYTHING"
    line = f"IF {meets} THEN {value_text(rule.label)}"
    if classes is None:
        return line
    line += f" {_weights_text(rule.weights, classes, exact)}"
    if rule.covered != rule.weights:
        line += f" COVERS {_weights_text(rule.covered, classes, exact)}"
    return line


def _weights_text(weights: Sequence[float], classes: Sequence[Any], exact: bool) -> str:
    shown = [
        f"{value_text(label)} {number_text(weight, exact)}" for label, weight in zip(classes, weights) if weight != 0
    ]
    return f"[{', '.join(shown)}]"


def _held(rule: Rule) -> str:
    """The rows of a rule for numbers, with how far their numbers spread."""
    n = number_text(round(rule.rows, 2), False)
    rows = f"{n} row" if n == "1" else f"{n} rows"
    return rows if rule.spread is None else f"{rows}, ± {figure(rule.spread)}"


def ruleset_text(ruleset: RuleSet, header: bool) -> str:
    """All rules. With the header every digit is kept and the text says all that prediction needs."""
    if ruleset.classes is None:  # the rules of a regression tree are for reading only
        return "\n".join(f"{rule_text(rule)}  [{_held(rule)}]" for rule in ruleset)
    lines = _header(ruleset) if header else []
    if header:
        lines += [rule_text(rule, True, ruleset.classes) for rule in ruleset]
        lines += [f"ELSE {value_text(ruleset.default_label)} {_weights_text(ruleset.default, ruleset.classes, True)}"]
        return "\n".join(lines)
    for rule in ruleset:
        # Shares of rows (missing values) make long fractions: two digits are enough.
        right, covered = (number_text(round(n, 2), False) for n in (rule.positives, sum(rule.covered)))
        lines.append(f"{rule_text(rule)}  " + (f"[{right} of {covered}]" if sum(rule.totals) > 0 else ""))
    if ruleset.resolution not in ("exclusive", "mean"):  # of a tree, one rule always fires
        lines.append(f"ELSE {value_text(ruleset.default_label)}")
    return "\n".join(lines)


def _header(ruleset: RuleSet) -> list[str]:
    assert ruleset.classes is not None
    used = sorted({column for rule in ruleset for condition in rule.conditions for column in condition.columns})
    columns = []
    for feature in (ruleset.features[j] for j in used if ruleset.features[j].word is None):
        joint = " < " if feature.kind == "ordinal" else ", "
        values = joint.join(map(value_text, feature.categories))
        if feature.kind == "numeric":
            values = "date" if feature.is_date else "number"
        elif values.upper() == "DATE":  # the name of the only category
            values = json.dumps(values)
        # A single ordered category would read as a nominal one: a trailing < keeps it ordered.
        tail = " <" if feature.kind == "ordinal" and len(feature.categories) == 1 else ""
        columns.append(f"COLUMN {value_text(feature.name)}: {values}{tail}")
    smoothing, calibration = ruleset.smoothing.kind, ruleset.calibration
    told = None if calibration is None else (calibration.temperature, calibration.floor)
    if smoothing == "m-estimate":
        smoothing += f" {number_text(ruleset.smoothing.m, True)}"
    return [
        f"CLASSES {listed_values(ruleset.classes)}",
        *columns,
        f"CHOOSE {ruleset.resolution}",
        f"SMOOTHING {smoothing}",
        f"ROWS {_weights_text(ruleset.totals, ruleset.classes, True)}",
        *(
            f"COST {value_text(label)} {_weights_text(line, ruleset.classes, True)}"
            for label, line in zip(ruleset.classes, ruleset.cost or ())
        ),
        *([] if told is None else [f"CALIBRATE {' '.join(number_text(value, True) for value in told)}"]),
    ]


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
    if ruleset.calibration is not None:
        content["calibration"] = ruleset.calibration.state()
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
        about = default, totals, content["resolution"], smoothing, cost
        known = content.get("calibration")
        calibration = None if known is None else Calibration.from_state(known)
        found = RuleSet(entries, features, classes, *about, calibration)
        _ = found.costs  # looks at their number and at every value
        return found
    except (KeyError, TypeError, IndexError, ValueError, ModelFileError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "rules-json", "This is not a rule set as to_json writes it: {problem}.", problem=error
        ) from error


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


# A forest has thousands of rules; a notebook is for reading.
_MOST_SHOWN = 60


def rules_frame(ruleset: RuleSet) -> Any:
    """Return conditions, label and statistics of every rule; numbers have no classes to count."""
    columns = ["conditions", "label", "positives", "negatives", "coverage", "accuracy", "class_coverage", "lift"]
    if ruleset.classes is None:
        columns = ["conditions", "label", "rows", "coverage", "spread"]
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
