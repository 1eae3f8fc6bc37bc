"""Every threshold of a numeric column, with what it tells about the class."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.impurity import Cuts
from vaglio.errors import InputError
from vaglio.table import as_frame
from vaglio.typing import ColumnLike

__all__ = ["threshold_gains"]


def threshold_gains(x: ColumnLike, y: ColumnLike) -> Any:
    """Return every threshold of a numeric column, with the gain of the test ``x <= threshold``.

    Rows without a value are left out: the gain is that of the others.

    Parameters
    ----------
    x : array-like of numbers of shape (n_samples,)
    y : array-like of shape (n_samples,)
        The class of each row.

    Returns
    -------
    DataFrame
        One line per threshold, in ascending order: ``threshold``, the rows ``below`` and ``above`` it, ``entropy`` and
        ``gini`` after the test, and ``gain``, by how much it lowers the entropy.

    Examples
    --------
    >>> from vaglio.tracing import threshold_gains
    >>> gains = threshold_gains([1, 2, 3, 4], ["a", "a", "b", "a"])
    >>> gains["threshold"].tolist(), gains["gain"].round(4).tolist()
    ([1.5, 2.5, 3.5], [0.1226, 0.3113, 0.1226])
    """
    try:
        values = np.asarray(x, dtype=float).ravel()
    except (TypeError, ValueError):
        raise InputError("thresholds-need-numbers", "Thresholds exist only for a column of numbers.") from None
    labels = np.asarray(y).astype(str).ravel()
    if len(values) != len(labels):
        raise InputError(
            "thresholds-lengths",
            "The column has {n_values:,} {n_values:value|values} and the class {n_labels:,}.",
            n_values=len(values),
            n_labels=len(labels),
        )
    known = ~np.isnan(values)
    classes, codes = np.unique(labels[known], return_inverse=True)
    different, where = np.unique(values[known], return_inverse=True)
    if len(different) < 2:
        raise InputError("thresholds-need-values", "A threshold lies between two different values.")
    table = np.zeros((len(different), len(classes)))
    np.add.at(table, (where, codes), 1.0)
    cuts = Cuts.of(different, table)
    return as_frame(
        {
            "threshold": cuts.threshold,
            "below": cuts.below.sum(axis=1).astype(int),
            "above": cuts.above.sum(axis=1).astype(int),
            "entropy": cuts.after("entropy"),
            "gini": cuts.after("gini"),
            "gain": cuts.gain("entropy"),
        }
    )
