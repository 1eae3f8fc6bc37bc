"""Frames of Dask: their partitions as futures on a cluster, and predictions as frames of Dask again."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from vaglio.engines.raw import Wanted
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError
from vaglio.runtime.cluster import Waiting, active_client, usual_client
from vaglio.table import Table
from vaglio.table.lazy import Change, RowShare, is_dask

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


def dask_parts(frame: Any) -> list[tuple[Any, int]]:
    """Return the partitions of a Dask frame as delayed frames, each with the number of its first row.

    The rows are counted once, by a task per partition.
    """
    partitions = frame.to_delayed(optimize_graph=True)
    dask: Any = importlib.import_module("dask")
    counted = [dask.delayed(len)(each) for each in partitions]
    client = active_client()
    if client is None:
        lengths = dask.compute(*counted)
    else:
        lengths = Waiting(client, present_settings().worker_timeout).fetch(client.compute(counted), "rows")
    return list(zip(partitions, [0, *np.cumsum(lengths).tolist()]))


def dask_taking(
    frame: Any, parts: list[tuple[Any, int]], shares: tuple[RowShare, ...], changes: tuple[Change, ...] = ()
) -> Any:
    """Return a Dask frame with some of the rows of another, chosen by their numbers, and changed.

    Parameters
    ----------
    frame : Dask frame
    parts : list
        From :func:`dask_parts`.
    shares, changes : tuple
        As those of a :class:`~vaglio.table.lazy.Part`.
    """
    dask: Any = importlib.import_module("dask")
    dataframe: Any = importlib.import_module("dask.dataframe")
    taken = [dask.delayed(_taken)(part, start, shares, changes) for part, start in parts]
    return dataframe.from_delayed(taken, meta=frame._meta, verify_meta=False)


def _taken(frame: Any, start: int, shares: tuple[RowShare, ...], changes: tuple[Change, ...]) -> Any:
    index = np.arange(start, start + len(frame))
    rows = np.ones(len(frame), dtype=bool)
    for share in shares:
        rows &= share.takes(index)
    left = frame[rows]
    if not changes or not len(left):
        return left
    table = Table.from_any(left)
    for change in changes:
        table = change(table, index[rows])
    return table.to_frame().set_index(left.index)


def _meta(X: Any, y: Any, weight: Any) -> Any:
    return _together(X._meta, y._meta, *([] if weight is None else [weight._meta]))


def _together(X: Any, y: Any, weight: Any = None) -> Any:
    frame = X.copy(deep=False)
    frame.columns = [str(name) for name in frame.columns]
    frame[TARGET] = np.asarray(y, dtype=object) if y.dtype == object else y.array
    if weight is not None:
        frame[WEIGHT] = weight.array
    return frame
