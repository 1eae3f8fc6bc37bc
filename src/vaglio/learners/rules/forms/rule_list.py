"""Rules as plain data, for the writers of other languages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vaglio.export.export_node import IN_TURN, SHARED, VOTE
from vaglio.export.source import RuleList
from vaglio.learners.rules.model.rule import decision_order

if TYPE_CHECKING:
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["rule_list"]


def rule_list(ruleset: RuleSet) -> RuleList:
    """Return the rules in the order in which they are tried, with what each says."""
    voting = ruleset.resolution in ("vote", "mean")
    order = decision_order(ruleset.entries, ruleset.resolution)
    said = ruleset.votes if voting and ruleset.classes is not None and len(ruleset) else ruleset.said
    rules = RuleList(
        features=ruleset.features,
        classes=ruleset.classes,
        conditions=[ruleset[i].conditions for i in order],
        labels=[ruleset[i].label for i in order],
        said=said[order],
        default_label=ruleset.default_label,
        default=ruleset.said_by_default,
        mode=VOTE if voting else SHARED if ruleset.resolution == "exclusive" else IN_TURN,
        costs=ruleset.costs,
    )
    calibration = ruleset.calibration
    if calibration is None or not rules.is_crisp:
        return replace(rules, calibration=calibration)
    # One rule says all there is to say of a row: what it says can be calibrated beforehand.
    default = calibration(rules.default[None, :])[0]
    return replace(rules, said=calibration(rules.said), default=default)
