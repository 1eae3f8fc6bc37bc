"""Seeds: one number from scikit-learn's ``random_state``, and random bits for a row by its index alone."""

from __future__ import annotations

import threading

import numpy as np

from vaglio.typing import RandomState


def seed_of(random_state: RandomState) -> int:
    """Return a seed below 2^63: an integer itself, a draw from a generator, for None a new number each time."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(generator_of(random_state).randint(0, 2**63 - 1, dtype=np.int64))


def generator_of(random_state: RandomState) -> np.random.RandomState:
    """Return scikit-learn's generator for a ``random_state``."""
    from sklearn.utils import check_random_state  # imports more than the rest of a prediction does

    generator: np.random.RandomState = check_random_state(random_state)
    return generator


_own = threading.local()


def legacy_random_state(random_state: RandomState) -> np.random.RandomState:
    """Return scikit-learn's generator for a ``random_state``; that of an integer is lent until the next call.

    Each thread has one to lend: to make a generator takes far longer than to set it to a seed, and both draw the same
    numbers. So it is for draws that end before another function of the thread asks for one.

    Parameters
    ----------
    random_state : int, RandomState or None

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.runtime.seeds import legacy_random_state
    >>> legacy_random_state(7).randint(1000) == np.random.RandomState(7).randint(1000)
    True
    """
    if not isinstance(random_state, (int, np.integer)):
        return generator_of(random_state)
    if not hasattr(_own, "generator"):
        _own.generator = np.random.RandomState(0)
    lent: np.random.RandomState = _own.generator
    lent.seed(random_state)
    return lent


def dealt_by_class(y: np.ndarray, folds: int) -> np.ndarray:
    """Return the fold of each row, dealt out class by class in the order of the hashes of their indices.

    Parameters
    ----------
    y : ndarray of int
        Class codes.
    folds : int

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.runtime.seeds import dealt_by_class
    >>> np.bincount(dealt_by_class(np.array([0, 0, 1, 1, 1, 1]), 2)).tolist()
    [3, 3]
    """
    fold = np.empty(len(y), dtype=np.int64)
    fold[np.lexsort((row_hash(np.arange(len(y)), 0), y))] = np.arange(len(y)) % folds
    return fold


def row_hash(index: np.ndarray, seed: int) -> np.ndarray:
    """Return 64 random bits for each global row index, one to one (the finaliser of SplitMix64).

    Parameters
    ----------
    index : ndarray of int64
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.runtime.seeds import row_hash
    >>> bool((row_hash(np.arange(4), 1)[2:] == row_hash(np.arange(2, 4), 1)).all())
    True
    """
    word = index.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed * 0xD1342543DE82EF95 % 2**64)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
