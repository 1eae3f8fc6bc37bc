"""How far two rows go the same way down the trees, not only whether they end together."""

from __future__ import annotations

import numpy as np
from scipy import sparse as sp

_BLOCK = 1 << 22  # pairs held at once


def path_similarity(
    leaves: np.ndarray, others: np.ndarray, parent: np.ndarray, weights: np.ndarray | None, top: int
) -> sp.csr_array:
    """Return for each row its ``top`` most similar others, by the mean over the trees of the shared part of the path.

    The part is the number of tests both rows answer alike before they part, over the length of the longer path; rows
    in the same leaf share all of it. ``parent`` gives the parent of each node, -1 for a root.
    """
    weights = np.ones(leaves.shape[1]) if weights is None else weights
    paths = [(_paths(leaves[:, t], parent), _paths(others[:, t], parent)) for t in range(leaves.shape[1])]
    step = max(1, _BLOCK // max(len(others), 1))
    rows = [_most_similar(paths, slice(i, i + step), weights / weights.sum(), top) for i in range(0, len(leaves), step)]
    return sp.csr_array(sp.vstack(rows)) if rows else sp.csr_array((0, len(others)))


def _paths(leaf: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Nodes from the root to each row's leaf, shape (n, longest path + 1); -1 beyond the leaf."""
    upward = [leaf.astype(np.int64)]
    while (above := np.where(upward[-1] >= 0, parent[upward[-1]], -1)).max(initial=-1) >= 0:
        upward.append(above)
    chain = np.stack(upward[::-1], axis=1)  # ends with the leaf; short paths begin with -1
    start = (chain < 0).sum(axis=1, keepdims=True)
    position = np.arange(chain.shape[1]) + start
    moved = np.take_along_axis(chain, np.minimum(position, chain.shape[1] - 1), axis=1)
    return np.where(position < chain.shape[1], moved, -1)


def _most_similar(
    paths: list[tuple[np.ndarray, np.ndarray]], rows: slice, weights: np.ndarray, top: int
) -> sp.csr_array:
    n = len(paths[0][0][rows])
    total = np.zeros((n, len(paths[0][1])))
    for (own, others), weight in zip(paths, weights):
        mine = own[rows]
        shared = np.zeros(total.shape)
        for level in range(1, min(mine.shape[1], others.shape[1])):  # the root is no test answered
            shared += (mine[:, level, None] == others[None, :, level]) & (mine[:, level, None] >= 0)
        depth = (mine >= 0).sum(axis=1)[:, None] - 1
        longer = np.maximum(depth, (others >= 0).sum(axis=1)[None] - 1)
        total += weight * np.where(longer > 0, shared / np.maximum(longer, 1), 1.0)
    best = np.sort(np.argsort(-total, axis=1, kind="stable")[:, :top], axis=1)
    offsets = np.arange(0, best.size + 1, max(best.shape[1], 1))
    found = sp.csr_array((np.take_along_axis(total, best, axis=1).ravel(), best.ravel(), offsets), shape=total.shape)
    found.eliminate_zeros()
    return found
