"""Arrays of numbers seen at a glance: whether anything is wrong with them, and which labels they hold.

Imports little: the estimators with scikit-learn's names ask before other parts of vaglio are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio import _core


def is_plain(X: Any, dtype: Any = np.float64) -> bool:
    """Whether X is an array of this type that has rows and columns."""
    return type(X) is np.ndarray and X.dtype == dtype and X.ndim == 2 and 0 not in X.shape


def plainly_sound(estimator: Any, X: Any, reset: bool, look: bool, dtype: Any = np.float64) -> bool:
    """Whether X is an array of this type with which nothing is wrong; scikit-learn's checks take longer to see that."""
    if not is_plain(X, dtype):
        return False
    if hasattr(estimator, "feature_names_in_"):
        return False
    if look:
        with np.errstate(over="ignore", invalid="ignore"):
            # If the sum is finite, so are its terms.
            if not np.isfinite(np.add.reduce(X, axis=None)):
                return False
    if reset:
        estimator.n_features_in_ = X.shape[1]
        return True
    return bool(getattr(estimator, "n_features_in_", None) == X.shape[1])


def distinct_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the labels in order and the code of each row, without sorting the rows; None for labels of other types.

    Whole numbers, truth values and words are what they are byte by byte; an array of Python strings is looked up.
    """
    if y.dtype.kind in "biuUS" and y.dtype.itemsize and y.dtype.isnative:
        items = np.ascontiguousarray(y).view(np.uint8).reshape(len(y), y.dtype.itemsize)
        near = y.dtype.kind in "biu" and y.flags.aligned
        found = _core.whole_numbers(items, y.dtype.kind == "i") if near else None
        if found is not None:
            return y[found[0]], found[1]
        first, code = _core.distinct_items(items)
        labels = y[first]
        order = labels.argsort()
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return labels[order], place[code]
    if y.dtype.kind == "O":
        values = y.tolist()
        seen = set(values) if all(type(value) is str for value in values) else set()
        if seen:
            place_of = {value: code for code, value in enumerate(sorted(seen))}
            labels = np.array(list(place_of), dtype=object)
            return labels, np.fromiter(map(place_of.__getitem__, values), dtype=np.int64, count=len(values))
    return None
