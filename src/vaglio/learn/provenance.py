"""What a model file says about its training: the parameters as data, and the shape and fingerprint of the rows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from vaglio.encode import EncodedMatrix

# Rows that the fingerprint covers: its cost does not grow with the table.
_MOST_ROWS = 1000


def plain_params(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters as data; what is not data is named by its text, and the model itself decides on saving.

    ``n_jobs`` is left out: the same model gives the same file, whoever helped to make it.
    """
    params = estimator.get_params(deep=False)
    return {name: _plain(value) for name, value in sorted(params.items()) if name != "n_jobs"}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.random.RandomState):
        return "RandomState"
    return getattr(value, "__name__", None) or str(value)


def describe_training(matrix: EncodedMatrix, y: np.ndarray) -> dict[str, Any]:
    """Return shape and fingerprint of the training rows.

    The fingerprint covers at most a thousand evenly spaced rows.
    """
    n = matrix.n_rows
    sample = matrix
    if n > _MOST_ROWS:
        rows = np.linspace(0, n - 1, _MOST_ROWS).astype(np.int64)
        sample, y = matrix.take(rows), y[rows]
    digest = hashlib.sha256(repr((n, matrix.n_features)).encode())
    blocks = [sample.numeric, sample.codes, y]
    if sample.sparse is not None:
        blocks += [sample.sparse.data, sample.sparse.indices, sample.sparse.indptr]
    for block in blocks:
        digest.update(np.ascontiguousarray(block).data)
    columns = len({feature.column for feature in matrix.features})
    return {"rows": n, "columns": columns, "fingerprint": digest.hexdigest()[:16]}
