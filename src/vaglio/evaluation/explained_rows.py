"""Rows of a table explained one by one, with their number and their true class.

Which rows are worth explaining depends on how good the predictions are (the wrong ones, the least probable ones), so
this belongs to the evaluation and not to the explanations themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.explanation import Explanation
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure
from vaglio.messages.listing import plain_data
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, join, text
from vaglio.table import Table

__all__ = ["ExplainedRow", "explain_tables", "true_classes"]


@dataclass(frozen=True)
class ExplainedRow:
    """The explanation of one row of a table.

    Attributes
    ----------
    number : int
        The number of the row; the first row is 1.
    true : object
        Its true class or number; None if that is not known.
    explanation : Explanation
    """

    number: int
    true: Any
    explanation: Explanation

    @property
    def heading(self) -> Message:
        """The heading of the explanation, with whether the prediction is correct if that is known."""
        if self.true is None:
            return text("Row {n:,}", n=self.number)
        if isinstance(self.explanation.decision, float):
            true = float(self.true)
            apart = self.explanation.decision - true
            words = {"n": self.number, "true": figure(true, 6), "error": figure(abs(apart))}
            if apart == 0:
                return text("Row {n:,}, the true number is {true}: no error", **words)
            if apart > 0:
                return text("Row {n:,}, the true number is {true}: predicted {error} too high", **words)
            return text("Row {n:,}, the true number is {true}: predicted {error} too low", **words)
        if str(self.true) == str(self.explanation.decision):
            return text("Row {n:,}, correct", n=self.number)
        return text("Row {n:,}, wrong: the true class is {label}", n=self.number, label=str(self.true))

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the explanation as text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return f"{locale_of(lang).text(self.heading)}\n{self.explanation.to_text(lang=lang)}"

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the explanation as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return f"<h2>{escape(locale_of(lang).text(self.heading))}</h2>{self.explanation.to_html(lang=lang)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        data: dict[str, Any] = plain_data({"row": self.number, "true": self.true, **self.explanation.to_dict()})
        return data

    def to_row(self) -> dict[str, Any]:
        """Return the explanation as one line of a table."""
        found = self.explanation
        return {
            text("row"): self.number,
            text("true"): self.true,
            text("decision"): found.decision,
            text("probability"): found.probability,
            text("runner up"): found.runner_up,
            **({} if found.expected_costs is None else {text("expected cost"): found.expected_costs[found.decision]}),
            text("because"): join("; ", [reason.text for reason in found.told_for]),
            text("against"): join("; ", [reason.text for reason in found.told_against]),
            text("would change if"): None if found.counterfactual is None else found.counterfactual.in_words,
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


def explain_tables(
    fitted: Fitted,
    tables: Iterable[Table],
    target: str | None = None,
    *,
    numbers: Sequence[int] | None = None,
    wrong: bool = False,
    least_confident: bool = False,
    most: int | None = None,
    change: str | None = None,
    fixed: Sequence[str] = (),
    changeable: Sequence[str] = (),
) -> tuple[list[ExplainedRow], int]:
    """Choose rows of a table and explain them.

    Parameters
    ----------
    fitted : Fitted
        The model.
    tables : iterable of Table
        The rows: one table, or the chunks of one that does not fit in memory.
    target : str, optional
        The column with the class, if the table has it.
    numbers : sequence of int, optional
        The numbers of the rows, from 1, in the order in which they are shown; by default all rows.
    wrong : bool, default=False
        Only rows with a wrong prediction; of numbers, the largest errors first.
    least_confident : bool, default=False
        The least probable predictions first.
    most : int, optional
        How many are explained at most; by default all.
    change : str, optional
        Of a model that predicts numbers: how far a counterfactual is to move the number, such as "-10%".
    fixed, changeable : sequence of str
        Columns that cannot change, and columns that can though they look as if they could not.

    Returns
    -------
    explained : list of ExplainedRow
        In the order in which they are shown.
    chosen : int
        How many rows were chosen, of which ``most`` are explained.
    """
    held: list[_Candidate] = []
    read = chosen = 0
    for table in tables:
        positions, order = np.arange(len(table)), np.arange(read, read + len(table))
        if numbers is not None:
            order = np.array([i for i, n in enumerate(numbers) if read < n <= read + len(table)], dtype=np.int64)
            positions = np.array(numbers, dtype=np.int64)[order] - 1 - read
        true = true_classes(fitted, table, target)
        error = np.zeros(len(positions))
        if wrong and fitted.classes is None:
            known = np.array([true[i] is not None for i in positions.tolist()], dtype=bool)
            positions, order = positions[known], order[known]
            said = fitted.predict(table)[positions]
            error = np.abs(said - np.array([float(true[i]) for i in positions.tolist()]))
        elif wrong:
            predicted = fitted.predict(table).tolist()
            kept = [true[i] is not None and str(predicted[i]) != str(true[i]) for i in positions.tolist()]
            positions, order = positions[kept], order[kept]
        doubt = -error if len(error) == len(positions) else np.zeros(len(positions))
        if least_confident and len(positions):
            probability = fitted.predict_with_proba(table[positions])[1]
            if probability is None:
                raise InputError(
                    "no-probabilities-to-sort-by",
                    "The learner {learner!r} has no probabilities to sort the rows by.",
                    learner=fitted.learner,
                )
            doubt = probability.max(axis=1)
        chosen += len(positions)
        best = np.lexsort((order, doubt))[:most]
        rows = table[positions[best]]
        held += [
            _Candidate(float(doubt[i]), int(order[i]), int(positions[i]) + read + 1, true[positions[i]], rows, place)
            for place, i in enumerate(best)
        ]
        held = sorted(held, key=lambda each: (each.doubt, each.order))[:most]
        read += len(table)
    beyond = [] if numbers is None else [number for number in numbers if number > read]
    if beyond:
        raise InputError(
            "unknown-row",
            "There is no row {row:,}; the table has {n:,} rows.",
            row=beyond[0],
            n=read,
        )
    how = {"counterfactual": True if change is None else change, "fixed": fixed, "changeable": changeable}
    return _explained(fitted, held, how), chosen


class _Candidate(NamedTuple):
    """A row that may be explained: how it is ordered, and where it is in the rows taken out of its chunk."""

    doubt: float
    order: int
    number: int
    true: Any
    rows: Table
    place: int


def _explained(fitted: Fitted, candidates: list[_Candidate], how: dict[str, Any]) -> list[ExplainedRow]:
    """Explain rows, those of one chunk together."""
    found: dict[int, ExplainedRow] = {}
    for rows in {id(each.rows): each.rows for each in candidates}.values():
        own = [each for each in candidates if each.rows is rows]
        told = fitted.explain(rows[np.array([each.place for each in own])], **how)
        for each, explanation in zip(own, told, strict=True):
            found[each.order] = ExplainedRow(each.number, each.true, explanation)
    return [found[each.order] for each in candidates]
