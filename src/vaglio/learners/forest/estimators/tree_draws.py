"""What each tree of a forest draws: its rows, its columns and the seed of its growth.

They depend on the seed of the forest and the number of the tree alone, in the kernels (``cpp/forest/joining.cpp``) and
here: a tree that is grown by itself is the tree that the whole forest would have.
"""

from __future__ import annotations

import numpy as np

from vaglio import _core

# What the random numbers of a tree are for, as the kernels number them.
_BAG, _COLUMNS, _GROWTH = range(3)
_BITS = (1 << 64) - 1


def bag_of(seed: int, tree: int, rows: int, draws: int) -> np.ndarray | None:
    """Return how often each row was drawn for a tree, uint32 (rows,); None where every tree sees all rows once."""
    return _core.draw_counts(_tree_key(seed, tree, _BAG), rows, draws) if draws else None


def columns_of(seed: int, tree: int, total: int, wanted: int) -> np.ndarray | None:
    """Return the columns that a tree may test, ascending; None where all are."""
    if wanted == 0 or wanted >= total:
        return None
    key, every = _tree_key(seed, tree, _COLUMNS), list(range(total))
    for i in range(wanted):
        drawn = _mix(key ^ _mix(i + 1))
        other = i + (drawn * (total - i) >> 64)
        every[i], every[other] = every[other], every[i]
    return np.sort(every[:wanted])


def growth_seed(seed: int, tree: int) -> int:
    """Return the seed of what is drawn while a tree grows."""
    return _tree_key(seed, tree, _GROWTH)


def _tree_key(seed: int, tree: int, purpose: int) -> int:
    return _key_of(_key_of(seed, tree), purpose)


def _key_of(parent: int, child: int) -> int:
    return _mix(parent ^ _mix(child + 0x632BE59BD9B4E019 & _BITS))


def _mix(x: int) -> int:
    """Splitmix64, as in ``cpp/base/random.hpp``."""
    x = x + 0x9E3779B97F4A7C15 & _BITS
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _BITS
    return x ^ x >> 31
