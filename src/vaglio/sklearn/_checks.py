"""What the presets of several families ask about the rows they are given."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

# A sparse matrix is written out in full up to this many numbers: 128 MB.
DENSE_LIMIT = 1 << 24

_NEGATIVE = "negative sample weights"
_ARRAYS = "array_api_dispatch=True"
_CALLBACKS = "callbacks"
# For the presets whose learner prints nothing; not of all, since scikit-learn's own loops print for some.
TALKING = "verbose"
TALKS = {TALKING: "scikit-learn tells of its own steps"}


def shared_cases(*classes: Any) -> dict[str, str]:
    """Return the cases that presets of some classes leave to scikit-learn whatever they learn, with the reasons."""
    found = {_ARRAYS: "vaglio computes with NumPy's arrays"}
    if any("sample_weight" in signature(cls.fit).parameters for cls in classes):
        found[_NEGATIVE] = "vaglio refuses them"
    if any(hasattr(cls, "set_callbacks") for cls in classes):
        found[_CALLBACKS] = "they are called by scikit-learn's own solvers"
    return found


def shared_case(estimator: Any, sample_weight: Any) -> str | None:
    """Return which of :func:`shared_cases` a fit is, if any."""
    if get_config().get("array_api_dispatch"):
        return _ARRAYS
    if any("callbacks" in name for name in vars(estimator)):
        return _CALLBACKS
    if sample_weight is not None and np.any(np.asarray(sample_weight, dtype=np.float64) < 0):
        return _NEGATIVE
    return None


def row_weights(class_weight: Any, X: Any, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
    """Return the weight of each row times that of its class, as scikit-learn's linear models do; None for all one."""
    if sample_weight is None and class_weight is None:
        return None
    weight: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    if class_weight is not None:
        classes, codes = np.unique(y, return_inverse=True)
        weight *= compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)[codes]
    return weight
