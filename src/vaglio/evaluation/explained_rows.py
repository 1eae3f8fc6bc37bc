"""Rows of a table explained one by one, with their number and their true class.

Which rows are worth explaining depends on how good the predictions are (the wrong ones, the least probable ones), so
this belongs to the evaluation and not to the explanations themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.explanation import Explanation
from vaglio.fitted import Fitted
from vaglio.messages.listing import plain_data
from vaglio.table import Table

__all__ = ["ExplainedRow", "choose_rows", "explain_table", "true_classes"]


@dataclass(frozen=True)
class ExplainedRow:
    """The explanation of one row of a table.

    Attributes
    ----------
    number : int
        The number of the row; the first row is 1.
    true : object
        Its true class; None if that is not known.
    explanation : Explanation
    """

    number: int
    true: Any
    explanation: Explanation

    @property
    def verdict(self) -> str:
        """Whether the prediction is right, for a heading; empty if that is not known."""
        if self.true is None:
            return ""
        return ", right" if str(self.true) == str(self.explanation.decision) else f", wrong: it is {self.true}"

    def to_text(self) -> str:
        """Return the explanation as text."""
        return f"Row {self.number}{self.verdict}\n{self.explanation.to_text()}"

    def to_html(self) -> str:
        """Return the explanation as a fragment of HTML."""
        return f"<h2>Row {self.number}{escape(self.verdict)}</h2>{self.explanation._repr_html_()}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        data: dict[str, Any] = plain_data({"row": self.number, "true": self.true, **self.explanation.to_dict()})
        return data

    def to_row(self) -> dict[str, Any]:
        """Return the explanation as one line of a table."""
        found = self.explanation
        return {
            "row": self.number,
            "true": self.true,
            "decision": found.decision,
            "probability": found.probability,
            "runner up": found.runner_up,
            **({} if found.expected_costs is None else {"expected cost": found.expected_costs[found.decision]}),
            "because": "; ".join(reason.text for reason in found.reasons),
            "against": "; ".join(reason.text for reason in found.against),
            "would change if": None if found.counterfactual is None else str(found.counterfactual),
        }


def true_classes(fitted: Fitted, table: Table, target: str | None) -> list[Any]:
    """Return the true class of each row, spelled as the model spells it; None where it is missing.

    Parameters
    ----------
    fitted : Fitted
        The model.
    table : Table
        The rows.
    target : str or None
        The column with the class; None if the table has none.

    Returns
    -------
    list
    """
    if target is None:
        return [None] * len(table)
    spelled = {} if fitted.classes is None else {spelling(label): label for label in fitted.classes.tolist()}
    column = table.column(target)
    values = column.values.tolist()
    return [None if absent else spelled.get(spelling(value), value) for value, absent in zip(values, column.missing)]


def choose_rows(
    fitted: Fitted,
    table: Table,
    true: Sequence[Any],
    *,
    numbers: Sequence[int] | None = None,
    wrong: bool = False,
    unsure: bool = False,
) -> np.ndarray:
    """Return the positions of the rows to explain, in the order in which they are shown.

    Parameters
    ----------
    fitted : Fitted
        The model.
    table : Table
        The rows.
    true : sequence
        The true class of each row, as :func:`true_classes` returns them.
    numbers : sequence of int, optional
        The numbers of the rows, from 1; by default all rows.
    wrong : bool, default=False
        Only rows with a wrong prediction.
    unsure : bool, default=False
        The least probable predictions first.

    Returns
    -------
    ndarray of int
    """
    positions = np.arange(len(table))
    if numbers is not None:
        beyond = [number for number in numbers if number > len(table)]
        if beyond:
            raise InputError(
                "there-row-table-has",
                "there is no row {beyond}: the table has {n_table:,} rows.",
                beyond=beyond[0],
                n_table=len(table),
            )
        positions = np.array(numbers) - 1
    if wrong:
        predicted = fitted.predict(table).tolist()
        positions = positions[[true[i] is not None and str(predicted[i]) != str(true[i]) for i in positions.tolist()]]
    if unsure:
        probability = fitted.predict_with_proba(table[positions])[1]
        if probability is None:
            raise InputError(
                "learner-gives-probabilities-order",
                "the learner {learner!r} gives no probabilities to order the rows by.",
                learner=fitted.learner,
            )
        positions = positions[np.argsort(probability.max(axis=1), kind="stable")]
    return positions


def explain_table(fitted: Fitted, table: Table, positions: np.ndarray, true: Sequence[Any]) -> list[ExplainedRow]:
    """Explain some rows of a table.

    Parameters
    ----------
    fitted : Fitted
        The model.
    table : Table
        All rows.
    positions : ndarray of int
        The rows to explain, counted from 0.
    true : sequence
        The true class of each row of the table.

    Returns
    -------
    list of ExplainedRow
    """
    if not len(positions):
        return []
    found = fitted.explain(table[positions])
    return [ExplainedRow(int(i) + 1, true[i], explanation) for i, explanation in zip(positions, found, strict=True)]
