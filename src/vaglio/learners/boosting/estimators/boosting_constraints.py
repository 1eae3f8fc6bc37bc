"""Columns that may not meet on a path of boosted trees."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from vaglio.errors import InputError
from vaglio.learners.monotonicity import position_of


def interaction_groups(given: Any, names: list[str]) -> list[list[int]]:
    """Return the sets of columns that may meet on a path; nothing when all may."""
    if given is None:
        return []
    everything = range(len(names))
    if isinstance(given, str):
        size = 1 if given == "no_interactions" else 2
        return [list(group) for group in combinations(everything, min(size, len(names)))]
    kinds = (list, tuple, set, frozenset)
    if not isinstance(given, kinds) or not all(isinstance(group, kinds) for group in given):
        raise InputError(
            "Interaction constraints must be a sequence of tuples or lists, each with columns that may meet."
        )
    groups = [sorted({position_of(item, names, "interaction_cst") for item in group}) for group in given]
    rest = sorted(set(everything).difference(*groups))
    return groups + ([rest] if rest else [])
