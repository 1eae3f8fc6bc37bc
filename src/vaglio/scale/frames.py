"""Frames of Dask: their partitions as futures on a cluster, and predictions as frames of Dask again."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from vaglio.errors import InputError, MissingDependencyError
from vaglio.scale.raw import Wanted
from vaglio.table.lazy import is_dask

TARGET, WEIGHT = "vaglio target", "vaglio weight"


def dask_partitions(X: Any, y: Any, weight: Any, regression: bool, client: Any) -> tuple[Any, list[Any], Wanted]:
    """Return a client, the partitions as futures of frames with X, y and weights together, and what they hold."""
    joined = dask_together(X, y, weight)
    if client is None:
        client = usual_client()
    # The graph is optimised as a whole; each partition is then a future of its own.
    futures = client.compute(joined.to_delayed(optimize_graph=True))
    names = tuple(str(name) for name in X.columns)
    return client, futures, Wanted(names, TARGET, None if weight is None else WEIGHT, regression)


def dask_together(X: Any, y: Any, weight: Any) -> Any:
    """Return X with the target and the weights as further columns."""
    if not hasattr(X, "to_delayed") or not hasattr(X, "columns"):
        raise InputError(f"X is a {type(X).__name__} of Dask: give a Dask DataFrame.")
    for what, column in (("y", y), ("sample_weight", weight)):
        if column is not None and not (is_dask(column) and hasattr(column, "to_delayed")):
            raise InputError(f"X is a Dask frame, so {what} must be a Dask series of the same partitions.")
        if column is not None and column.npartitions != X.npartitions:
            raise InputError(
                f"X has {X.npartitions} partitions and {what} {column.npartitions}: take both from one frame."
            )
    return X.map_partitions(_together, y, *([] if weight is None else [weight]), meta=_meta(X, y, weight))


def usual_client() -> Any:
    """Return the client in force; without any, one on a small cluster of processes on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingDependencyError("Dask frames need dask and distributed: pip install 'vaglio[dask]'.") from None
    try:
        return distributed.get_client()
    except ValueError:
        return distributed.Client(dashboard_address=None)


def _meta(X: Any, y: Any, weight: Any) -> Any:
    return _together(X._meta, y._meta, *([] if weight is None else [weight._meta]))


def _together(X: Any, y: Any, weight: Any = None) -> Any:
    frame = X.copy(deep=False)
    frame.columns = [str(name) for name in frame.columns]
    frame[TARGET] = np.asarray(y, dtype=object) if y.dtype == object else y.array
    if weight is not None:
        frame[WEIGHT] = weight.array
    return frame
