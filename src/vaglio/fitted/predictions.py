"""The columns that predictions add to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

__all__ = ["prediction_columns"]


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
