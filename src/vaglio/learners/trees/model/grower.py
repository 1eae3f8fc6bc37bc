"""The one call of the tree grower: from encoded rows and a configuration to a Tree.

It stands here because two rooms below need it: learners grow whole trees, explanations a small one around a row.
"""

from __future__ import annotations

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.learners.trees.model.tree import Tree, kernel_features


def training_table(matrix: EncodedMatrix) -> _core.TreeTable:
    """Return the rows as the grower reads them; those of a matrix that is reused are checked and sorted once."""
    kept: _core.TreeTable | None = matrix.__dict__.get("_training_table")
    if kept is not None:
        return kept
    ranks = matrix.ranks()
    nominal, column, n_categories = kernel_features(matrix.features)
    numbers = (ranks.numeric, ranks.ranks, ranks.firsts)
    table = _core.TreeTable(*numbers, matrix.codes, n_categories, nominal, column, reused=matrix.reused)
    if matrix.reused:
        matrix.__dict__["_training_table"] = table
    return table


def grow_tree(
    matrix: EncodedMatrix,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    config: _core.TreeConfig,
    smoothing: str = "none",
    m: float = 2.0,
) -> Tree:
    """Grow an unpruned tree.

    Parameters
    ----------
    matrix : EncodedMatrix
    y : ndarray
        Class codes, or numbers.
    n_classes : int
        0 for numbers.
    weight : float64 (n,) or None
    config : TreeConfig
        Options of the grower, in its own words.
    smoothing : str
        How the leaves make probabilities of their class weights.
    m : float
        Strength of an m-estimate.
    """
    table = training_table(matrix)
    arrays = _core.grow_tree(table, y, n_classes, weight=weight, config=config, n_threads=matrix.threads)
    return Tree.from_kernel(arrays, smoothing=smoothing, m=m, regression=n_classes == 0)
