"""From what the user gives to what a learner takes: encoded rows, class codes, weights."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, column_or_1d, validate_data

from vaglio import _core
from vaglio.errors import InputError
from vaglio.model.checks import LARGEST
from vaglio.table import Table


def check_X(estimator: Any, X: Any, reset: bool, look: bool = True) -> Any:
    """Check the rows as scikit-learn does, and return them as a frame, Table, float64 array or CSR matrix.

    Frames and Tables keep their types; whatever else holds only numbers becomes a float64 array, without a copy
    where it is one already; other arrays (words in an object array) are left to the table room. With ``look=False``
    an array is not searched for infinite numbers: the learner notices them by itself.
    """
    if isinstance(X, Table):
        header = nw.from_dict({name: [] for name in X.columns}, backend="pyarrow").to_native()
        validate_data(estimator, header, reset=reset, skip_check_array=True)
        _refuse_empty(X.shape, estimator)
        return X
    if nw.dependencies.is_into_dataframe(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        _refuse_empty(X.shape, estimator)
        return X
    if isinstance(X, list) and X and isinstance(X[0], dict):
        return check_X(estimator, Table.from_any(X), reset)
    if _has_words(X):
        return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
    return validate_data(
        estimator,
        X,
        reset=reset,
        dtype=np.float64,
        accept_sparse="csr" if estimator._accepts_sparse else False,
        ensure_all_finite="allow-nan" if look else False,
        ensure_min_samples=1,
    )


def _has_words(X: Any) -> bool:
    """Whether an array-like holds anything but numbers."""
    if sp.issparse(X):
        return False
    dtype = getattr(X, "dtype", None)
    if dtype is None:
        try:
            X = np.asarray(X)
        except ValueError:  # ragged: scikit-learn's own check says what is wrong
            return False
        dtype = X.dtype
    if dtype.kind in "US":
        return True
    if dtype.kind != "O" or X.ndim != 2:
        return False
    try:
        X.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


def _refuse_empty(shape: tuple[int, int], estimator: Any) -> None:
    rows, columns = shape
    if columns == 0:
        raise InputError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if rows == 0:
        raise InputError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")


def check_labels(y: Any, estimator: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the class labels and the code of each row's class."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    y = column_or_1d(_plain_series(y), warn=True)
    if y.dtype.kind == "f":
        check_array(y, ensure_2d=False, input_name="y")
    found = distinct_labels(y)
    if found is not None and len(found[0]) <= len(y) // 2:
        return found
    # scikit-learn refuses numbers that are not whole, and warns where nearly every row is a class of its own.
    check_classification_targets(y)
    if y.dtype.kind == "O" and any(label is None or label != label for label in y):
        raise InputError("Input y contains NaN: rows without a class cannot be learned from; leave them out.")
    return np.unique(y, return_inverse=True)


def distinct_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the labels in order and the code of each row, without sorting the rows; None for labels of other types.

    Whole numbers, truth values and words are what they are byte by byte; an array of Python strings is looked up.
    """
    if y.dtype.kind in "biuUS" and y.dtype.itemsize and y.dtype.isnative:
        first, code = _core.distinct_items(np.ascontiguousarray(y).view(np.uint8).reshape(len(y), -1))
        labels, place = np.unique(y[first], return_inverse=True)
        return labels, place[code]
    if y.dtype.kind == "O":
        values = y.tolist()
        seen = set(values) if all(type(value) is str for value in values) else set()
        if seen:
            place_of = {value: code for code, value in enumerate(sorted(seen))}
            labels = np.array(list(place_of), dtype=object)
            return labels, np.fromiter(map(place_of.__getitem__, values), dtype=np.int64, count=len(values))
    return None


def check_numbers(y: Any, estimator: Any) -> np.ndarray:
    """Return the target numbers."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    y = column_or_1d(_plain_series(y), warn=True)
    numbers: np.ndarray = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    return numbers


def _plain_series(y: Any) -> Any:
    """Return a polars or pyarrow column as an array; pandas and NumPy pass as they are."""
    if hasattr(y, "to_numpy") and not hasattr(y, "iloc"):
        y = y.to_numpy() if not hasattr(y, "to_pylist") else np.asarray(y.to_pylist())
    return np.asarray(y)


def check_weight(sample_weight: Any, X: Any, n: int) -> np.ndarray | None:
    """Return the row weights, or None when all rows count alike."""
    if sample_weight is None:
        return None
    weight: np.ndarray = _check_sample_weight(
        sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():
        raise InputError("All sample weights are zero: at least one row must count.")
    return weight


def refuse_overflow(weight: np.ndarray | None) -> None:
    """Refuse weights whose sums would not be numbers; a model file refuses them as well."""
    with np.errstate(over="ignore"):
        if weight is not None and not weight.sum() < LARGEST:
            raise InputError(f"The weights of the rows add up to more than {LARGEST:g}: divide all by one number.")
