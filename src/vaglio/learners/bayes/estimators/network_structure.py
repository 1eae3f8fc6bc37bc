"""Which attributes depend on which: structures of Bayesian network classifiers."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import ColumnError, InputError
from vaglio.messages.sentences import did_you_mean

Parents = tuple[tuple[int, ...], ...]
# The usual least number of rows per cell from which frequencies are compared.
ROWS_PER_CELL = 5


def tree_augmented(information: np.ndarray) -> Parents:
    """Chow and Liu's tree of largest conditional mutual information, away from the first attribute (Prim).

    A negative number is an edge that must not be; then an attribute may have no parent.
    """
    n = len(information)
    parents: list[tuple[int, ...]] = [() for _ in range(n)]
    if not n:
        return ()
    inside = np.zeros(n, dtype=bool)
    inside[0] = True
    best = information[0].copy()
    origin = np.zeros(n, dtype=np.int64)
    for _ in range(n - 1):
        j = int(np.argmax(np.where(inside, -np.inf, best)))
        parents[j] = (int(origin[j]),) if best[j] >= 0 else ()
        inside[j] = True
        closer = information[j] > best
        best = np.where(closer, information[j], best)
        origin = np.where(closer, j, origin)
    return tuple(parents)


def k_dependence(information: np.ndarray, with_class: np.ndarray, k: int) -> Parents:
    """Sahami's structure: attributes are ordered by their information on the class, and each gets as parents the k
    earlier ones that share most information with it.
    """
    parents: list[tuple[int, ...]] = [() for _ in with_class]
    order = np.argsort(-with_class, kind="stable")
    for place, j in enumerate(order):
        before = order[:place]
        before = before[information[j, before] >= 0]
        chosen = before[np.argsort(-information[j, before], kind="stable")[:k]]
        parents[int(j)] = tuple(sorted(int(p) for p in chosen))
    return tuple(parents)


def given_structure(edges: Iterable[Any], features: tuple[Feature, ...]) -> Parents:
    """Parents from (parent, child) pairs of column names."""
    index = {feature.name: j for j, feature in enumerate(features)}
    parents: list[list[int]] = [[] for _ in features]
    for edge in edges:
        if len(tuple(edge)) != 2:
            raise InputError(f"An edge is a pair (parent, child) of column names, not {edge!r}.")
        for name in edge:
            if name not in index:
                raise ColumnError(
                    f"The network has an edge {tuple(edge)!r}; edges join columns of X (the class is a parent of all "
                    f"anyway), and there is no column {name!r}: {did_you_mean(str(name), index, quoted=True)}"
                )
        parent, child = (index[name] for name in edge)
        if parent not in parents[child]:
            parents[child].append(parent)
    try:
        tuple(TopologicalSorter(dict(enumerate(parents))).static_order())
    except CycleError as error:
        cycle = " → ".join(features[j].name for j in reversed(error.args[1]))
        raise InputError(f"The edges form a cycle ({cycle}): a Bayesian network has none; drop one of them.") from None
    return tuple(tuple(sorted(above)) for above in parents)


def conditional_information(
    cells: np.ndarray, size: np.ndarray, y: np.ndarray, weight: np.ndarray | None, k: int, most: float = np.inf
) -> np.ndarray:
    """Return I(Xi; Xj | C) in bits for every pair, over the rows where both are known.

    -1 for a pair of which one has more than ``most`` values, if their table has fewer than five rows per cell: its
    information would be chance.
    """
    pairs = pairs_to_count(size, len(cells), k, most)
    tables = (pair_table(cells[:, i], cells[:, j], int(size[i]), int(size[j]), y, weight, k) for i, j in pairs)
    return information_of_pairs(len(size), pairs, tables)


def pairs_to_count(size: np.ndarray, rows: int, k: int, most: float) -> list[tuple[int, int]]:
    """Return the pairs of attributes whose information is more than chance."""
    return [
        (i, j)
        for i in range(len(size))
        for j in range(i)
        if max(size[i], size[j]) <= most or rows >= ROWS_PER_CELL * k * size[i] * size[j]
    ]


def information_of_pairs(n: int, pairs: list[tuple[int, int]], tables: Iterable[np.ndarray]) -> np.ndarray:
    """Return I(Xi; Xj | C) of pairs whose class weights are given; -1 for all others."""
    information = np.full((n, n), -1.0)
    np.fill_diagonal(information, 0.0)
    for (i, j), joint in zip(pairs, tables):
        information[i, j] = information[j, i] = information_of(joint)
    return information


def class_information(
    cells: np.ndarray, size: np.ndarray, y: np.ndarray, weight: np.ndarray | None, k: int
) -> np.ndarray:
    """Return I(Xj; C) in bits for every attribute, over the rows where it is known."""
    return np.array([information_of(value_table(cells[:, j], int(s), y, weight, k)[None]) for j, s in enumerate(size)])


def value_table(cells: np.ndarray, size: int, y: np.ndarray, weight: np.ndarray | None, k: int) -> np.ndarray:
    """Class weights (K, V) of the values of one attribute."""
    known = cells >= 0
    w = None if weight is None else weight[known]
    flat = np.bincount(y[known] * size + cells[known], w, minlength=k * size)
    return flat.astype(np.float64).reshape(k, size)


def pair_table(
    first: np.ndarray, second: np.ndarray, a: int, b: int, y: np.ndarray, weight: np.ndarray | None, k: int
) -> np.ndarray:
    """Class weights (K, A, B) of the pairs of values, rows that lack one left out."""
    known = (first >= 0) & (second >= 0)
    w = None if weight is None else weight[known]
    flat = np.bincount((y[known] * a + first[known]) * b + second[known], w, minlength=k * a * b)
    return flat.astype(np.float64).reshape(k, a, b)


def information_of(joint: np.ndarray) -> float:
    """Mutual information of the last two axes given the first."""
    total = joint.sum()
    if total <= 0:
        return 0.0
    rows, columns = joint.sum(axis=2, keepdims=True), joint.sum(axis=1, keepdims=True)
    whole = joint.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = joint * np.log2(joint * whole / (rows * columns))
    return max(0.0, float(np.nansum(terms) / total))
