"""Predictions beside a table: as further columns, and for rows out of core as a lazy result or a Dask frame."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.table import LazyResult, LazyTable, Table, as_frame

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

__all__ = ["predict_outside", "prediction_columns", "proba_outside"]


def prediction_columns(fitted: Fitted, rows: Any) -> dict[str, Any]:
    """Return the columns to add: the class and, where the learner gives probabilities, one column per class.

    Parameters
    ----------
    fitted : Fitted
    rows : table
    """
    labels, probabilities = fitted.predict_with_proba(rows)
    if fitted.classes is None or probabilities is None:
        return {"predicted": labels}
    return {"predicted": labels} | {f"p_{label}": p for label, p in zip(fitted.classes, probabilities.T)}


def predict_outside(fitted: Fitted, X: Any) -> Any:
    """Return the class (or number) of each row, as a lazy result or a Dask series."""
    if isinstance(X, LazyTable):
        return LazyResult(X, fitted.predict, ("prediction",))
    meta = as_frame({"prediction": _no_predictions(fitted)}, index=X._meta.index[:0])["prediction"]
    return X.map_partitions(partial(_predict_frame, fitted), meta=meta)


def proba_outside(fitted: Fitted, X: Any) -> Any:
    """Return the probability of each class for each row, as a lazy result or a Dask frame with a column per class."""
    names = tuple(str(label) for label in fitted.classes.tolist()) if fitted.classes is not None else ()
    if isinstance(X, LazyTable):
        return LazyResult(X, fitted.predict_proba, names)
    meta = as_frame(np.empty((0, len(names))), columns=names, index=X._meta.index[:0])
    return X.map_partitions(partial(_proba_frame, fitted, names), meta=meta)


def _predict_frame(fitted: Fitted, frame: Any) -> Any:
    found = fitted.predict(Table.from_any(frame)) if len(frame) else _no_predictions(fitted)
    return as_frame({"prediction": found}, index=frame.index)["prediction"]


def _proba_frame(fitted: Fitted, names: tuple[str, ...], frame: Any) -> Any:
    found = fitted.predict_proba(Table.from_any(frame)) if len(frame) else np.empty((0, len(names)))
    return as_frame(found, columns=names, index=frame.index)


def _no_predictions(fitted: Fitted) -> np.ndarray:
    return np.empty(0) if fitted.classes is None else fitted.classes[:0]
