"""Which pairs of columns get a term: asked for by the user, or found by what they gain beyond their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learners.monotonicity import position_of

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


@dataclass(frozen=True)
class PairPlan:
    """Which pairs get a term, or how they are found.

    Attributes
    ----------
    given : list of (int, int) or None
        The pairs that the user names; None where they are to be found.
    compared : list of (int, int)
        The pairs among which they are found.
    wanted : int
        How many of them.
    """

    given: list[tuple[int, int]] | None
    compared: list[tuple[int, int]]
    wanted: int

    @classmethod
    def of(cls, interactions: Any, exclude: Any, names: list[str], bound: np.ndarray, free: np.ndarray) -> PairPlan:
        """Return the plan; ``free`` columns may be in pairs that are found, ``bound`` ones in none."""
        given = asked_pairs(interactions, names, bound)
        _, without = excluded_terms(exclude, names)
        if given is not None:
            return cls([pair for pair in given if pair not in without], [], 0)
        wanted = pairs_to_find(interactions, len(names))
        return cls(None, [pair for pair in combinations(free.tolist(), 2) if wanted and pair not in without], wanted)

    @property
    def array(self) -> np.ndarray:
        """The pairs that are compared, uint32 (pairs, 2)."""
        return np.array(self.compared, dtype=np.uint32).reshape(-1, 2)


def rows_to_screen(n_pairs: int, n_rows: int, start: int, stop: int) -> np.ndarray:
    """Return which of the rows from ``start`` to ``stop`` are asked when so many pairs are compared, from 0 on."""
    most = int(max(_FEWEST_ROWS, _MOST_LOOKS // max(n_pairs, 1)))
    if n_rows <= most:
        return np.arange(stop - start, dtype=np.uint32)
    # Evenly spread over the table: no random number is needed for a sample.
    first, last = (-(-at * most // n_rows) for at in (start, stop))
    return (np.arange(first, last) * n_rows // most - start).astype(np.uint32)


def best_pairs(pairs: list[tuple[int, int]], gains: np.ndarray, wanted: int) -> list[tuple[int, int]]:
    """Return the pairs that gain most beyond their columns, the best first."""
    order = np.argsort(-gains, kind="stable")[:wanted]
    return [pairs[i] for i in order.tolist() if gains[i] > 0]
