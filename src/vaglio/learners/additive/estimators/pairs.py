"""Pairs of columns: which get a term, which slots of a column count as one in them, and what a pair says alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.learners.monotonicity import position_of

# Cells looked at when all pairs are compared: of a very wide table fewer rows are asked.
_MOST_LOOKS = 2_000_000_000
_FEWEST_ROWS = 2000
# Cells of a pair have at least so many rows on average.
_ROWS_PER_CELL = 4
_MOST_GROUPS = 254
# A pair is split until what is left in its rows and columns is less.
_PURE = 1e-10
_ROUNDS_OF_PURITY = 100
_MULTIPLE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*x\s*")


def pairs_to_find(interactions: Any, n_features: int) -> int:
    """Return how many pairs ``interactions`` asks for."""
    if isinstance(interactions, str):
        found = _MULTIPLE.fullmatch(interactions)
        if found is None:
            raise InputError(
                "interactions-give-number-pairs",
                "interactions is {interactions!r}: give a number of pairs, a multiple of the columns "
                "such as '1x', or a list of pairs.",
                interactions=interactions,
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
            raise InputError(
                "interactions-names-column-which",
                "interactions names the column {name!r}, which monotonic_cst binds: it has no pairs.",
                name=name,
            )
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
        raise InputError(
            "names-pair-two-columns",
            "{parameter} names {given!r}: a pair is two columns, by name or position.",
            parameter=parameter,
            given=given,
        )
    first, second = sorted(position_of(item, names, parameter) for item in given)
    if first == second:
        raise InputError(
            "pairs-column-itself",
            "{parameter} pairs the column {names!r} with itself.",
            parameter=parameter,
            names=names[first],
        )
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


# -- tables of pairs ---------------------------------------------------------------------------------------------------
def group_slots(feature: Feature, weight: np.ndarray, most: int, n_rows: int) -> np.ndarray:
    """Return the group of each slot of a column, uint8: neighbours of about equal weight, or frequent categories.

    Parameters
    ----------
    feature : Feature
    weight : ndarray of shape (slots,)
        Of the training rows of each slot; the last slot is that of missing values.
    most : int
        Most groups, without that of missing values.
    n_rows : int
        A small table has fewer groups, so that cells of two columns have a few rows.
    """
    most = int(np.clip(np.sqrt(n_rows / _ROWS_PER_CELL), 2, min(most, _MOST_GROUPS)))
    present = weight[:-1]
    if len(present) <= most:
        return np.arange(len(weight)).astype(np.uint8)
    if feature.is_nominal:
        # The most frequent ones are groups of their own, in the order of their codes; the others share the last one.
        group = np.full(len(present), most - 1)
        frequent = np.sort(np.argsort(-present, kind="stable")[: most - 1])
        group[frequent] = np.arange(most - 1)
    else:
        middle = np.cumsum(present) - present / 2
        group = np.minimum((middle / max(present.sum(), 1e-300) * most).astype(np.int64), most - 1)
        group = np.unique(group, return_inverse=True)[1]
    return np.append(group, group.max() + 1).astype(np.uint8)


def group_columns(features: tuple[Feature, ...], weights: list[np.ndarray], most: int, n_rows: int) -> list[np.ndarray]:
    """Return the groups of the slots of every column."""
    return [group_slots(feature, own, most, n_rows) for feature, own in zip(features, weights)]


def purified(table: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split a pair (…, a, b) into a table whose weighted rows and columns have mean zero, and what was in them."""
    pure = table.copy()
    by_first, by_second = np.zeros(table.shape[:-1]), np.zeros((*table.shape[:-2], table.shape[-1]))
    along, down = weight.sum(axis=1), weight.sum(axis=0)
    for _ in range(_ROUNDS_OF_PURITY):
        rows = (pure * weight).sum(axis=-1) / np.where(along > 0, along, 1.0)
        pure -= rows[..., :, None]
        by_first += rows
        lines = (pure * weight).sum(axis=-2) / np.where(down > 0, down, 1.0)
        pure -= lines[..., None, :]
        by_second += lines
        if max(np.abs(rows).max(initial=0.0), np.abs(lines).max(initial=0.0)) < _PURE:
            break
    return pure, by_first, by_second


def pair_tables(cells: np.ndarray, pairs: list[tuple[int, int]], groups: list[np.ndarray]) -> list[np.ndarray]:
    """Return the cells of each pair, (bags, K, groups, groups), from those of all pairs behind each other."""
    found, begin = [], 0
    for a, b in pairs:
        shape = int(groups[a][-1]) + 1, int(groups[b][-1]) + 1
        found.append(cells[:, :, begin : begin + shape[0] * shape[1]].reshape(*cells.shape[:2], *shape).copy())
        begin += shape[0] * shape[1]
    return found


def joint_weight(
    slots: list[np.ndarray], groups: list[np.ndarray], a: int, b: int, weight: np.ndarray | None
) -> np.ndarray:
    """Return the weight of the training rows in each cell of a pair."""
    shape = int(groups[a][-1]) + 1, int(groups[b][-1]) + 1
    cell = groups[a][slots[a]].astype(np.int64) * shape[1] + groups[b][slots[b]]
    return np.bincount(cell, weights=weight, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)
