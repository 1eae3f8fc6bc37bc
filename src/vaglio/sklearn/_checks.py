"""What the presets of several families ask about the rows they are given."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data as in_full

from vaglio.runtime.scikit_learn import check_sample_weight
from vaglio.typing import ColumnLike, TableLike

# A sparse matrix is written out in full up to this many numbers: 128 MB.
DENSE_LIMIT = 1 << 24

_NEGATIVE = "negative sample weights"
_ARRAYS = "array_api_dispatch=True"
_CALLBACKS = "callbacks"
# For the presets whose learner prints nothing; not of all, since scikit-learn's own loops print for some.
TALKING = "verbose"
TALKS = {TALKING: "scikit-learn tells of its own steps"}
# No rows have this in place of targets.
_NO_TARGETS = object()


class SharedRows:
    """The arrays that an ensemble hands to one member after the other: rows, also in single precision, and targets."""

    def __init__(self) -> None:
        self.users = 0
        self._last: tuple[Any, Any] = (None, None)
        self._targets: Any = None

    def get(self, X: np.ndarray) -> np.ndarray | None:
        """Return X in single precision, if it is the last array that was kept."""
        given, rows = self._last
        return rows if given is X else None

    def keep(self, X: np.ndarray, rows: np.ndarray) -> None:
        """Remember an array that was found sound, while an ensemble is fitted."""
        if self.users:
            self._last = X, rows

    def knows_targets(self, y: ColumnLike) -> bool:
        """Return whether these targets were checked before."""
        return y is not None and y is self._targets

    def keep_targets(self, y: np.ndarray) -> None:
        """Remember targets that were checked, while an ensemble is fitted."""
        if self.users:
            self._targets = y

    def leave(self) -> None:
        """Forget them where no other ensemble is fitted."""
        self.users -= 1
        if not self.users:
            self._last, self._targets = (None, None), None


SHARED_ROWS = SharedRows()


def shared_cases(*classes: Any) -> dict[str, str]:
    """Return the cases that presets of some classes leave to scikit-learn whatever they learn, with the reasons."""
    found = {_ARRAYS: "vaglio computes with NumPy's arrays"}
    if any("sample_weight" in signature(cls.fit).parameters for cls in classes):
        found[_NEGATIVE] = "vaglio refuses them"
    if any(hasattr(cls, "set_callbacks") for cls in classes):
        found[_CALLBACKS] = "they are called by scikit-learn's own solvers"
    return found


def shared_case(estimator: Any, sample_weight: ColumnLike | None) -> str | None:
    """Return which of :func:`shared_cases` a fit is, if any."""
    if get_config().get("array_api_dispatch"):
        return _ARRAYS
    if any("callbacks" in name for name in vars(estimator)):
        return _CALLBACKS
    if sample_weight is not None and np.any(np.asarray(sample_weight, dtype=np.float64) < 0):
        return _NEGATIVE
    return None


def row_weights(class_weight: Any, X: TableLike, y: np.ndarray, sample_weight: ColumnLike | None) -> np.ndarray | None:
    """Return the weight of each row times that of its class, as scikit-learn's linear models do; None for all one."""
    if sample_weight is None and class_weight is None:
        return None
    weight: np.ndarray = check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    if class_weight is not None:
        classes, codes = np.unique(y, return_inverse=True)
        weight *= compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)[codes]
    return weight


def validate_data(estimator: Any, X: Any, y: Any = _NO_TARGETS, *, reset: bool = True, **options: Any) -> Any:
    """Check rows and targets as scikit-learn's function of this name does: arrays that are plainly sound, at a glance.

    For rows that are taken in double precision. scikit-learn looks at the same arrays for longer than a small model is
    learned or asked.
    """
    if X is None or not X_is_sound(estimator, X, reset) or not (y is _NO_TARGETS or sound_targets(y, len(X))):
        given = {} if y is _NO_TARGETS else {"y": y}
        return in_full(estimator, X, reset=reset, **given, **options)
    return X if y is _NO_TARGETS else (X, y)


def X_is_sound(estimator: Any, X: Any, reset: bool = False) -> bool:
    """Whether X is an array of finite numbers in double precision, row by row, with the right number of columns."""
    from vaglio.learners.plain_arrays import plainly_sound

    return plainly_sound(estimator, X, reset, look=True) and bool(X.flags.c_contiguous)


def single_precision(estimator: Any, X: TableLike, reset: bool = False) -> np.ndarray | None:
    """Return an array of finite numbers in single precision; None where scikit-learn has to look at X."""
    if type(X) is not np.ndarray or X.dtype not in (np.float64, np.float32):
        return None
    rows = SHARED_ROWS.get(X)
    if rows is None:
        with np.errstate(over="ignore"):
            rows = X.astype(np.float32, copy=False)
            # If the sum is finite, so are its terms.
            if rows.ndim != 2 or rows.size == 0 or not np.isfinite(np.add.reduce(rows, axis=None)):
                return None
        SHARED_ROWS.keep(X, rows)
    if hasattr(estimator, "feature_names_in_"):
        return None
    if reset:
        estimator.n_features_in_ = X.shape[1]
    return rows if getattr(estimator, "n_features_in_", None) == X.shape[1] else None


def whole_rows(estimator: Any, X: TableLike, n: int | None = None) -> bool:
    """Whether X is an array of whole numbers with the right number of columns; n rows are those of a fit."""
    if type(X) is not np.ndarray or X.dtype != np.int64 or X.ndim != 2 or not X.size:
        return False
    if hasattr(estimator, "feature_names_in_") or (n is not None and len(X) != n):
        return False
    if n is not None:
        estimator.n_features_in_ = X.shape[1]
    return bool(getattr(estimator, "n_features_in_", None) == X.shape[1])


def sound_targets(y: ColumnLike, n: int | None = None) -> bool:
    """Whether y is an array of finite numbers, one for each of n rows."""
    if type(y) is not np.ndarray or y.ndim != 1 or not len(y) or (n is not None and len(y) != n):
        return False
    return y.dtype.kind in "iub" or (y.dtype == np.float64 and bool(np.isfinite(y).all()))


def class_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order and the code of each target; targets that are no classes are refused."""
    from vaglio.learners.plain_arrays import distinct_labels

    whole = _whole(y)
    found = None if whole is None else distinct_labels(whole)
    if found is None or len(found[0]) > len(y) // 2:  # scikit-learn warns where nearly every row is a class of its own
        check_classification_targets(y)
        return np.unique(y, return_inverse=True)
    return found[0].astype(y.dtype, copy=False), found[1]


def _whole(y: np.ndarray) -> np.ndarray | None:
    """Return whole numbers as such, truth values as they are; None for targets of other types."""
    if y.dtype.kind in "iub":
        return y
    if y.dtype.kind != "f":
        return None
    with np.errstate(invalid="ignore"):
        whole = y.astype(np.int64)
    return whole if (whole == y).all() else None


def one_column(y: ColumnLike) -> np.ndarray:
    """Return the targets as one column, with scikit-learn's warning where they are a table of one column."""
    column: np.ndarray = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    return column


def factors_of(class_weight: Any, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weight of each class."""
    if class_weight is None:
        return np.ones(len(classes))
    factors: np.ndarray = compute_class_weight(class_weight, classes=classes, y=y)
    return factors
