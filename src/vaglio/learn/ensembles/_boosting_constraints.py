"""What a user may demand of boosted trees: predictions that rise or fall with a column, columns that do not meet."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.text.sentences import did_you_mean


def monotonic_directions(given: Any, names: list[str], nominal: list[bool], loss: str) -> list[int]:
    """Return 1, -1 or 0 per column; nothing when no column is bound."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        found = np.zeros(len(names), dtype=object)
        for name, direction in given.items():
            found[position_of(name, names, "monotonic_cst")] = direction
    else:
        found = np.asarray(given)
        if found.shape != (len(names),):
            raise InputError(f"monotonic_cst has the shape {found.shape}, but there are {len(names)} columns.")
    # One by one: an array would turn 0.5 into 0, and compare words with numbers.
    if not all(isinstance(one, Real) and one in (-1, 0, 1) for one in found.tolist()):
        raise InputError("monotonic_cst may hold -1, 0 and 1 only.")
    bound = np.flatnonzero(found)
    for j in bound.tolist():
        if nominal[j]:
            raise InputError(
                f"Column {names[j]!r} is nominal: its values have no order to be monotonic in. Give it as numbers, or "
                "declare their order."
            )
    if bound.size and loss == "multinomial":
        raise InputError("Monotonic constraints need two classes or a number to predict: there are more classes here.")
    return [int(direction) for direction in found] if bound.size else []


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


def position_of(item: Any, names: list[str], parameter: str) -> int:
    """Return the position of a column that is given by name or position."""
    if isinstance(item, str):
        if item not in names:
            raise InputError(f"{parameter} names the column {item!r}: {did_you_mean(item, names)}")
        return names.index(item)
    if not isinstance(item, (int, np.integer)) or not 0 <= int(item) < len(names):
        raise InputError(f"{parameter} names the column {item!r}: give a name, or a position below {len(names)}.")
    return int(item)
