"""Rules as text a person reads and :mod:`~vaglio.learners.rules.forms.parse` reads back.

::

    CLASSES no, yes
    COLUMN outlook: overcast, rain, sunny
    COLUMN humidity: number
    COLUMN size: small < medium < large
    CHOOSE first
    SMOOTHING laplace
    ROWS [no 5, yes 9]
    COST no [yes 1]
    COST yes [no 10]
    IF outlook = sunny AND humidity > 77.5 THEN no [no 3]
    IF (70 < humidity <= 80 OR MISSING 0.25) AND size IN {small, medium} THEN yes [yes 2] COVERS [no 1, yes 4]
    ELSE yes [no 2, yes 7]

A text is tested for single words: ``IF subject contains "offer" AND subject does not contain "report" THEN spam``.

Words stand bare where that is clear, else in JSON quotes. After a label stand the class weights its probabilities come
from; COVERS gives those of all rows that meet the conditions, where they differ. COST says, by true class, what a
prediction costs that is not free: with it the class of least expected cost is decided for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vaglio.model.condition_text import condition_text, listed_values, number_text, value_text

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.rules.model.rule import Rule
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["rule_text", "ruleset_text"]


def rule_text(rule: Rule, exact: bool = False, classes: Sequence[Any] | None = None) -> str:
    """One rule; with the classes given, its class weights as well."""
    meets = " AND ".join(condition_text(condition, exact) for condition in rule.conditions) or "ANYTHING"
    text = f"IF {meets} THEN {value_text(rule.label)}"
    if classes is None:
        return text
    text += f" {_weights_text(rule.weights, classes, exact)}"
    if exact and rule.covered != rule.weights:
        text += f" COVERS {_weights_text(rule.covered, classes, exact)}"
    return text


def _weights_text(weights: Sequence[float], classes: Sequence[Any], exact: bool) -> str:
    shown = [
        f"{value_text(label)} {number_text(weight, exact)}" for label, weight in zip(classes, weights) if weight != 0
    ]
    return f"[{', '.join(shown)}]"


def ruleset_text(ruleset: RuleSet, header: bool) -> str:
    """All rules. With the header every digit is kept and the text says all that prediction needs."""
    if ruleset.classes is None:
        return _numbers_text(ruleset)
    lines = _header(ruleset) if header else []
    if header:
        lines += [rule_text(rule, True, ruleset.classes) for rule in ruleset]
        lines += [f"ELSE {value_text(ruleset.default_label)} {_weights_text(ruleset.default, ruleset.classes, True)}"]
        return "\n".join(lines)
    lines += [f"{rule_text(rule)}  {_summary(rule)}" for rule in ruleset]
    if ruleset.resolution not in ("exclusive", "mean"):  # of a tree, one rule always fires
        lines.append(f"ELSE {value_text(ruleset.default_label)}")
    return "\n".join(lines)


def _summary(rule: Rule) -> str:
    if not sum(rule.totals) > 0:
        return ""
    # Shares of rows (missing values) make long fractions: two digits are enough.
    return f"[{number_text(round(rule.positives, 2), False)} of {number_text(round(sum(rule.covered), 2), False)}]"


def _numbers_text(ruleset: RuleSet) -> str:
    """The rules of a regression tree: for reading only."""
    return "\n".join(f"{rule_text(rule)}  [{number_text(sum(rule.covered), False)} rows]" for rule in ruleset)


def _header(ruleset: RuleSet) -> list[str]:
    assert ruleset.classes is not None
    used = sorted({column for rule in ruleset for condition in rule.conditions for column in condition.columns})
    smoothing = ruleset.smoothing.kind
    if smoothing == "m-estimate":
        smoothing += f" {number_text(ruleset.smoothing.m, True)}"
    return [
        f"CLASSES {listed_values(ruleset.classes)}",
        *(f"COLUMN {_column_text(ruleset.features[j])}" for j in used if ruleset.features[j].word is None),
        f"CHOOSE {ruleset.resolution}",
        f"SMOOTHING {smoothing}",
        f"ROWS {_weights_text(ruleset.totals, ruleset.classes, True)}",
        *(
            f"COST {value_text(label)} {_weights_text(line, ruleset.classes, True)}"
            for label, line in zip(ruleset.classes, ruleset.cost or ())
        ),
    ]


def _column_text(feature: Feature) -> str:
    name = value_text(feature.name)
    if feature.kind == "numeric":
        return f"{name}: number"
    joint = " < " if feature.kind == "ordinal" else ", "
    # A single ordered category would read as a nominal one: a trailing < keeps it ordered.
    tail = " <" if feature.kind == "ordinal" and len(feature.categories) == 1 else ""
    return f"{name}: {joint.join(value_text(value) for value in feature.categories)}{tail}"
