"""One tree for several targets: every impurity is the mean of those of the targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.learners.trees.estimators.cost_complexity import prune_to
from vaglio.learners.trees.estimators.growing import tree_config, tree_of
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.tree import Tree


def learn_outputs(
    estimator: Any, matrix: EncodedMatrix, y: np.ndarray, n_classes: list[int], weight: np.ndarray | None
) -> Tree:
    """Grow a tree on numeric columns, and prune it by ``ccp_alpha``.

    Parameters
    ----------
    estimator : TreeEstimator
        Whose parameters are used.
    matrix : EncodedMatrix
    y : ndarray of shape (n_samples, n_outputs)
        Class codes, or numbers.
    n_classes : list of int
        The number of classes of each output; empty for numbers.
    weight : float64 (n,) or None

    Returns
    -------
    Tree
        Its values are the class weights of one output after the other, or a number per output.
    """
    # Near the mean, sums of squares lose few digits; medians need no help, and counts are no differences.
    centre = _centres(y) if estimator.criterion in ("squared_error", "friedman_mse") else None
    arrays = _core.grow_outputs_tree(
        training_table(matrix),
        np.ascontiguousarray(y if centre is None else y - centre),
        n_classes,
        weight=weight,
        config=tree_config(estimator, matrix, 0),
        n_threads=matrix.threads,
    )
    if centre is not None:
        arrays["value"] = arrays["value"] + centre
    tree = tree_of(estimator, arrays, 0)
    return prune_to(estimator, tree, float(estimator.ccp_alpha), 0) if estimator.ccp_alpha else tree


def _centres(y: np.ndarray) -> np.ndarray:
    """Return a number near the mean of each column that leaves whole numbers whole, as in the grower of one output."""
    spread = np.ptp(y, axis=0)
    unit = np.ldexp(1.0, np.frexp(np.where(spread > 0, spread, 1.0))[1] - 1)
    near: np.ndarray = np.rint(y.mean(axis=0) / unit) * unit
    return np.where(spread > 0, near, y[0])
