"""The columns that predictions add to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

__all__ = ["prediction_columns", "score_of"]


def score_of(fitted: Fitted, label: Any, columns: dict[str, Any]) -> np.ndarray:
    """Return the probabilities of a class among the columns that predictions add."""
    if fitted.classes is None or f"p_{label}" not in columns:
        raise NotSupportedError(
            "learner-without",
            "The learner {learner!r} does not give {quantity}.",
            learner=fitted.learner,
            quantity=text("probabilities"),
        )
    return np.asarray(columns[f"p_{label}"])


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
