"""From the arguments of the user (table and target, or X and y) to rows."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.labels import as_labels, as_weight
from vaglio.evaluation.outside_rows import OutsideRows
from vaglio.evaluation.selection.trials import Rows
from vaglio.model.costs import CostMatrix
from vaglio.table import as_table
from vaglio.table.lazy import is_outside_memory

__all__ = ["as_cost", "as_rows", "rows_of"]


def rows_of(table: Any, target: Any) -> Rows | OutsideRows:
    """Return rows to learn from, in memory or outside of it."""
    return OutsideRows.of(table, target) if is_outside_memory(table) else as_rows(table, target)


def as_rows(table: Any, target: Any) -> Rows:
    """Return rows to learn from: of a table and the name of its class column, or of any X and the labels."""
    if target is None or isinstance(target, (str, int)):
        labelled = as_table(table).labelled(target)
        X, y = labelled.xy(target)
        return Rows(X, y, as_weight(labelled.weights, len(y)))
    y = as_labels(target, "target")
    n_rows = table.shape[0] if hasattr(table, "shape") else len(table)
    if n_rows != len(y):
        raise InputError(f"The table has {n_rows} rows, the target {len(y)}.")
    if hasattr(table, "shape"):
        return Rows(table, y)
    # As an array of strings, rows of numbers and words would lose which columns are numbers.
    rows = np.asarray(table)
    return Rows(rows if rows.dtype.kind in "biuf" else np.array(table, dtype=object), y)


def as_cost(cost: Any, rows: Rows) -> tuple[CostMatrix | None, Rows]:
    """Return a cost matrix; costs that are given by row become weights of the rows instead."""
    if cost is None:
        return None, rows
    if not isinstance(cost, (CostMatrix, dict, str, os.PathLike)) and np.ndim(cost) == 1:
        by_row = as_weight(cost, len(rows))
        weight = by_row if rows.weight is None else rows.weight * by_row
        return None, Rows(rows.X, rows.y, weight)
    return CostMatrix.from_any(cost, labels=np.unique(rows.y).tolist()), rows
