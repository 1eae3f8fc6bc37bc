"""Rules that decide by costs: each under the class it then stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vaglio.errors import InputError
from vaglio.learners.rules.model.resolution import decision_order

if TYPE_CHECKING:
    from vaglio.learners.rules.model.ruleset import RuleSet
    from vaglio.model.costs import CostMatrix

__all__ = ["with_costs"]


def with_costs(ruleset: RuleSet, cost: CostMatrix) -> RuleSet:
    """Return the same rules deciding for the class of least expected cost."""
    if ruleset.classes is None:
        raise InputError("These rules give a number: costs are for rules that give a class.")
    order, resolution = list(range(len(ruleset))), ruleset.resolution
    if resolution in ("specific", "quality"):
        # These orders depend on the classes of the rules, and must not follow their new ones.
        order, resolution = decision_order(ruleset.entries, resolution), "first"
    lines = tuple(map(tuple, cost.ordered(ruleset.classes).matrix.tolist()))
    found = replace(ruleset, cost=lines, resolution=resolution)
    codes = [found.decision(said) for said in ruleset.said]
    entries = tuple(replace(ruleset[i], code=codes[i], label=ruleset.classes[codes[i]]) for i in order)
    return replace(found, entries=entries)
