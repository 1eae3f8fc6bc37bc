"""Hierarchical shrinkage: what a node says is drawn towards the nodes above it, the more the fewer rows they have.

A leaf of two rows knows little, its parent of fifty more. Down a path, each step from a node p to its child c counts
1 / (1 + λ / N(p)) of what it is worth, N(p) being the training weight of p (Agarwal and others, 2022). Since N falls
down a path, the sum is a mean of what the nodes on the path say, with weights that are never negative: probabilities
remain probabilities, and what is monotone remains so. The tests of the tree do not change.
"""

from __future__ import annotations

import numpy as np


def shrink(
    says: np.ndarray, weight: np.ndarray, first_child: np.ndarray, n_children: np.ndarray, lam: float
) -> np.ndarray:
    """Return what each node of a tree says after shrinkage.

    Parameters
    ----------
    says : float64 (n, K)
        Class probabilities or the mean of each node; node 0 is the root.
    weight : float64 (n,)
        Of the training rows.
    first_child, n_children : int (n,)
        Of a node with children: where they begin, and how many they are; leaves have none.
    lam : float
        The strength λ.
    """
    found = says.astype(np.float64, copy=True)
    parents = np.flatnonzero(n_children[:1])
    while parents.size:
        counts = n_children[parents]
        above = np.repeat(parents, counts)
        below = np.repeat(first_child[parents] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        # Of a branch without rows the parent may have none either: it says what the parent says.
        share = weight[above] / np.maximum(weight[above] + lam, np.finfo(np.float64).tiny)
        found[below] = found[above] + share[:, None] * (says[below] - says[above])
        parents = below[n_children[below] > 0]
    return found
