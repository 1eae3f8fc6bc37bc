"""Which pairs of columns get a term: asked for by the user, or found by what they gain beyond their columns."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learn.ensembles._boosting_constraints import position_of

# Cells looked at when all pairs are compared: of a very wide table fewer rows are asked.
_MOST_LOOKS = 2_000_000_000
_FEWEST_ROWS = 2000
_MULTIPLE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*x\s*")


def pairs_to_find(interactions: Any, n_features: int) -> int:
    """Return how many pairs ``interactions`` asks for."""
    if isinstance(interactions, str):
        found = _MULTIPLE.fullmatch(interactions)
        if found is None:
            raise InputError(
                f"interactions is {interactions!r}: give a number of pairs, a multiple of the columns such as '1x', or "
                "a list of pairs."
            )
        interactions = float(found.group(1))
    if isinstance(interactions, float):
        return int(np.ceil(interactions * n_features))
    return int(interactions)


def asked_pairs(interactions: Any, names: list[str], bound: np.ndarray) -> list[tuple[int, int]] | None:
    """Return the pairs that the user names; None where they are to be found."""
    if not isinstance(interactions, (list, tuple)):
        return None
    found: list[tuple[int, int]] = []
    for given in interactions:
        pair = _pair(given, names, "interactions")
        if bound[list(pair)].any():
            name = names[pair[0] if bound[pair[0]] else pair[1]]
            raise InputError(f"interactions names the column {name!r}, which monotonic_cst binds: it has no pairs.")
        if pair not in found:
            found.append(pair)
    return found


def excluded_terms(exclude: Any, names: list[str]) -> tuple[set[int], set[tuple[int, int]]]:
    """Return the columns and the pairs without a term."""
    singles: set[int] = set()
    pairs: set[tuple[int, int]] = set()
    for given in exclude or ():
        if isinstance(given, (list, tuple)) and len(given) == 1:
            given = given[0]
        if isinstance(given, (list, tuple)):
            pairs.add(_pair(given, names, "exclude"))
        else:
            singles.add(position_of(given, names, "exclude"))
    return singles, pairs


def _pair(given: Any, names: list[str], parameter: str) -> tuple[int, int]:
    if isinstance(given, str) or not isinstance(given, (list, tuple)) or len(given) != 2:
        raise InputError(f"{parameter} names {given!r}: a pair is two columns, by name or position.")
    first, second = sorted(position_of(item, names, parameter) for item in given)
    if first == second:
        raise InputError(f"{parameter} pairs the column {names[first]!r} with itself.")
    return first, second


def best_pairs(
    trainer: Any, columns: np.ndarray, wanted: int, without: set[tuple[int, int]], n_rows: int
) -> list[tuple[int, int]]:
    """Return the pairs that gain most beyond their columns, the best first."""
    pairs = [pair for pair in combinations(columns.tolist(), 2) if pair not in without]
    if not pairs or wanted == 0:
        return []
    most = int(max(_FEWEST_ROWS, _MOST_LOOKS // len(pairs)))
    # Evenly spread over the table: no random number is needed for a sample.
    rows = np.arange(n_rows) if n_rows <= most else np.arange(most) * n_rows // most
    gains = trainer.screen(np.array(pairs, dtype=np.uint32), rows.astype(np.uint32))
    order = np.argsort(-gains, kind="stable")[:wanted]
    return [pairs[i] for i in order.tolist() if gains[i] > 0]
