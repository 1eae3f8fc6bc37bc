"""The trees that the boosting kernel hands over, as a forest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.model.ensembles.forest import MISSING_RIGHT, NODE, Forest


def forest_of(trainer: Any, features: tuple[Feature, ...], n_trees: int | None = None) -> Forest:
    """Return the first trees of a trainer.

    Parameters
    ----------
    trainer : BoostingTrainer
    features : tuple of Feature
    n_trees : int or None
        None for all.
    """
    arrays = trainer.trees()
    starts = arrays["starts"][: None if n_trees is None else n_trees + 1]
    nodes = arrays["nodes"].reshape(-1).view(NODE)[: starts[-1]].copy()
    n_leaves = int((nodes["link"] < 0).sum())
    inner = nodes["link"] >= 0
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
        tables=arrays["tables"],
        leaves=arrays["leaves"][:n_leaves],
        importances=gains / gains.sum() if gains.sum() > 0 else gains,
        regression=True,
    )


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
