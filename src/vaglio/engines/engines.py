"""X decides where the work is done: the engine for a lazy table or for a Dask frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vaglio.engines.engine import Engine, ScannedPart
from vaglio.engines.local import LocalEngine
from vaglio.engines.raw import Wanted
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError
from vaglio.runtime.cluster import Waiting
from vaglio.runtime.progress import Report
from vaglio.table import LazyColumn, LazyTable
from vaglio.table.lazy import Reading


def example_rows(X: Any) -> Any:
    """Return a few rows, which show the columns and their types."""
    return X.head(8) if isinstance(X, LazyTable) else X._meta


def open_engine(X: Any, y: Any, weight: Any, regression: bool, threads: int, report: Report) -> Engine:
    """Return the engine for these rows.

    Parameters
    ----------
    X : LazyTable or Dask frame
    y : LazyColumn or Dask series
    weight : LazyColumn, Dask series or None
    regression : bool
        Whether y is a number.
    threads : int
    report : callable
    """
    settings = present_settings()
    if isinstance(X, LazyTable):
        parts = scanned_parts(X, y, weight, regression)
        if settings.client is None:
            return LocalEngine(parts, settings, threads, report)
        from vaglio.engines.on_dask import DaskEngine

        waiting = Waiting(settings.client, settings.worker_timeout, report)
        return DaskEngine(waiting, parts, parts[0].wanted)
    from vaglio.engines.frames import dask_partitions
    from vaglio.engines.on_dask import DaskEngine

    client, partitions, wanted = dask_partitions(X, y, weight, regression, settings.client)
    return DaskEngine(Waiting(client, settings.worker_timeout, report), partitions, wanted)


def scanned_parts(X: LazyTable, y: Any, weight: Any, regression: bool) -> list[ScannedPart]:
    """Return the parts of a lazy table with the columns of X, y and the weights."""
    data, target, weights = same_table(X, y, weight)
    wanted = Wanted(tuple(name for name in data.columns if name not in (target, weights)), target, weights, regression)
    return [ScannedPart(part, data.reading, wanted) for part in data.parts]


def same_table(X: LazyTable, y: Any, weight: Any) -> tuple[LazyTable, str, str | None]:
    """Return the columns of X, y and the weights as one table, with the names of the last two."""
    for what, column in (("y", y), ("sample_weight", weight)):
        if column is None and what == "sample_weight":
            continue
        if not isinstance(column, LazyColumn) or column.table.parts != X.parts:
            raise InputError(
                f"X is a lazy table, so {what} must be a column of the same table: X, y = data.xy('target'), "
                "sample_weight=data['weight']."
            )
    kinds = {**X.kinds, y.name: y.table.kinds[y.name]}
    if weight is not None:
        kinds[weight.name] = weight.table.kinds[weight.name]
    last = [y.name, *([] if weight is None else [weight.name])]
    names = [*(name for name in X.columns if name not in last), *last]
    reading = Reading(tuple((name, kinds[name]) for name in names))
    return replace(X, reading=reading), y.name, None if weight is None else weight.name
