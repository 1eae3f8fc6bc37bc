"""The trees that the boosting kernel hands over, as a forest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.forest.model.forest import MISSING_RIGHT, NODE, Forest


@dataclass(frozen=True)
class CategoryNumbers:
    """A column of numbers that stands for a nominal one while trees grow.

    Attributes
    ----------
    feature : int
        The nominal column.
    numbers : float64 (n_categories + 1,)
        The number of each category, and last that of missing values.
    """

    feature: int
    numbers: np.ndarray


def forest_of(
    trainer: Any,
    features: tuple[Feature, ...],
    n_trees: int | None = None,
    sources: tuple[CategoryNumbers, ...] = (),
) -> Forest:
    """Return the first trees of a trainer.

    Parameters
    ----------
    trainer : BoostingTrainer
    features : tuple of Feature
    n_trees : int or None
        None for all.
    sources : tuple of CategoryNumbers
        What the columns behind those of the table stand for.
    """
    arrays = trainer.trees()
    starts = arrays["starts"][: None if n_trees is None else n_trees + 1]
    nodes = arrays["nodes"].reshape(-1).view(NODE)[: starts[-1]].copy()
    n_leaves = int((nodes["link"] < 0).sum())
    inner = nodes["link"] >= 0
    tables = _with_sets(nodes, arrays["tables"], len(features), sources)
    # Of an ordered column, "any value that is there" is the last of its ranks.
    ranks = np.array([len(f.categories) - 1 if f.kind == "ordinal" else np.inf for f in features])
    tested = nodes["feature"][inner] & ~MISSING_RIGHT
    nodes["threshold"][inner] = np.minimum(nodes["threshold"][inner], ranks[tested])
    # Gains are squares, and may be infinite where the numbers that are predicted are huge.
    gain = np.minimum(arrays["gains"][: len(nodes)][inner], np.finfo(np.float64).max / len(nodes))
    gains = np.bincount(tested, weights=gain, minlength=len(features))
    gains = gains.astype(np.float64)  # of no split at all NumPy counts whole numbers
    return Forest(
        nodes=nodes,
        starts=starts,
        tables=tables,
        leaves=arrays["leaves"][:n_leaves],
        importances=gains / gains.sum() if gains.sum() > 0 else gains,
        regression=True,
    )


def _with_sets(
    nodes: np.ndarray, tables: np.ndarray, n_features: int, sources: tuple[CategoryNumbers, ...]
) -> np.ndarray:
    """Turn thresholds on the numbers of categories into sets of categories, in place; return the bits of all sets."""
    tested = nodes["feature"] & ~MISSING_RIGHT
    parts, end = [tables], len(tables)
    for node in np.flatnonzero((nodes["link"] >= 0) & (tested >= n_features)).tolist():
        source = sources[int(tested[node]) - n_features]
        right = source.numbers > nodes["threshold"][node]
        bits = np.zeros((len(right) - 1 + 31) // 32 * 32, dtype=np.uint8)
        bits[: len(right) - 1] = right[:-1]
        words = np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)
        nodes["feature"][node] = source.feature | (MISSING_RIGHT if right[-1] else np.uint32(0))
        nodes["threshold"][node] = end
        parts.append(words)
        end += len(words)
    return np.concatenate(parts)


def joined(first: Forest, second: Forest, features: tuple[Feature, ...]) -> Forest:
    """Return the trees of both, one after the other.

    Parameters
    ----------
    first, second : Forest
    features : tuple of Feature
    """
    nodes = second.nodes.copy()
    inner = nodes["link"] >= 0
    nodes["link"][~inner] -= len(first.leaves)
    nominal = np.array([f.is_nominal for f in features])[nodes["feature"] & ~MISSING_RIGHT] & inner
    nodes["threshold"][nominal] += len(first.tables)
    share = first.n_trees / (first.n_trees + second.n_trees)
    return replace(
        first,
        nodes=np.concatenate([first.nodes, nodes]),
        starts=np.concatenate([first.starts, first.n_nodes + second.starts[1:]]),
        tables=np.concatenate([first.tables, second.tables]),
        leaves=np.concatenate([first.leaves, second.leaves]),
        importances=share * first.importances + (1 - share) * second.importances,
    )
