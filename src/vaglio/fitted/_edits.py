"""Changes that an expert makes to a fitted model, kept with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError, NotSupportedError
from vaglio.export.limit import moment
from vaglio.messages.printable import ESCAPES

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted


class Edits:
    """What a person may change; only :class:`~vaglio.fitted.Fitted` inherits from this class."""

    @property
    def _edited(self) -> Fitted:
        return self  # type: ignore[return-value]

    def edit(
        self,
        term: str | int,
        action: str,
        *,
        where: Any = None,
        value: float | None = None,
        direction: int | None = None,
        label: Any = None,
        reason: str = "",
    ) -> Fitted:
        """Return an additive model with one term changed; the provenance keeps what was changed, before and after.

        Parameters
        ----------
        term : str or int
            Name (``"age"``, ``"age & income"``) or position of the term.
        action : {"flatten", "monotone", "remove", "set"}
            Give all values the mean score; make the scores rise or fall (isotonic regression by weight); take the term
            away; give values another score.
        where : object, optional
            Which values are flattened or set: a category, ``"missing"``, or ``(low, high)`` of a column of numbers,
            whose intervals are changed where the range reaches into them; None at an end leaves it open.
        value : float, optional
            The new score of "set".
        direction : {1, -1}, optional
            Of "monotone"; by default the direction that changes less.
        label : object, optional
            The class whose score is changed; by default all.
        reason : str
            Why, for those who read the model later.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("penguins").xy("species")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> fair = model.edit("year", "remove", reason="the year of the visit causes nothing")
        >>> fair.edits[0]["term"], fair.edits[0]["action"], model.model.n_terms - fair.model.n_terms
        ('year', 'remove', 1)
        """
        fitted, before = self._edited, self._additive("can be edited term by term")
        model, told = before.edited(
            fitted.classes, term, action, where=where, value=value, direction=direction, label=label
        )
        edits = [*self.edits, {**told, "reason": reason}]
        return replace(fitted, model=model, provenance={**fitted.provenance, "edits": edits})

    def starting_at(self, intercept: Any, reason: str = "") -> Fitted:
        """Return an additive model whose scores start elsewhere; the provenance keeps the change.

        Parameters
        ----------
        intercept : array-like of shape (K,)
            Where each score starts.
        reason : str
            Why, for those who read the model later.
        """
        fitted, model = self._edited, self._additive("starts at a score")
        start = np.array(intercept, dtype=np.float64)
        if start.shape != model.intercept.shape or not np.isfinite(start).all() or np.abs(start).max() > 1e100:
            raise InputError(f"The start has {len(model.intercept)} finite numbers: one per score.")
        told = {"term": "(start)", "action": "set", "before": [model.intercept.tolist()], "after": [start.tolist()]}
        edits = [*self.edits, {**told, "reason": reason}]
        return replace(fitted, model=replace(model, intercept=start), provenance={**fitted.provenance, "edits": edits})

    def _additive(self, what: str) -> Any:
        model = self._edited.model
        if not hasattr(model, "edited"):
            raise NotSupportedError(f"Only an additive model {what}; this is a model of {self._edited.learner!r}.")
        return model

    @property
    def edits(self) -> list[dict[str, Any]]:
        """What was changed in the model by hand, the first change first."""
        found = self._edited.provenance.get("edits")
        return [edit for edit in found if isinstance(edit, dict)] if isinstance(found, list) else []

    def edits_in_words(self) -> list[str]:
        """Return one line per change: the term, what was done, the scores before and after, and the reason.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> model.edit("windy", "remove", reason="the hall has a roof").edits_in_words()
        ['windy: remove (the hall has a roof)']
        """
        dates = {feature.name for feature in self._edited.codebook.features if feature.is_date}
        return [_in_words(edit, str(edit.get("term")) in dates) for edit in self.edits]

    def terms(self) -> list[dict[str, Any]]:
        """Return the terms of an additive model, the most important first: name, and how far it moves a score.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("penguins").xy("species")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> model.terms()[0]["term"]
        'bill_length_mm'
        """
        model = self._additive("has terms")
        moved = model.importances()
        order = np.argsort(-moved, kind="stable").tolist()
        return [{"term": model.name_of(t), "importance": float(moved[t])} for t in order]


def _in_words(edit: dict[str, Any], is_date: bool) -> str:
    where, reason = edit.get("where"), edit.get("reason")
    if isinstance(where, list):
        said = moment if is_date else "{:g}".format
        where = "..".join(said(end) if isinstance(end, float) and np.isfinite(end) else "" for end in where)
    way = edit.get("direction")
    parts = [f"{edit.get('term')}: {edit.get('action')}{' rising' if way == 1 else ' falling' if way == -1 else ''}"]
    parts += [f" where {where}"] if where is not None else []
    parts += [f" for {edit['label']}"] if edit.get("label") is not None else []
    before, after = (_scores(edit.get(side)) for side in ("before", "after"))
    if before and len(before) == len(after):
        moved = max(abs(new - old) for old, new in zip(before, after))
        parts += [f": {_span(before)} before, {_span(after)} after, moved by at most {_figure(moved)}"]
    return "".join([*parts, f" ({reason})" if reason else ""]).translate(ESCAPES)


def _scores(rows: Any) -> list[float]:
    """All scores; none of a term that was removed. A file may say anything."""
    rows = [row for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    return [score for row in rows for score in row if isinstance(score, float)]


def _span(scores: list[float]) -> str:
    low, high = _figure(min(scores)), _figure(max(scores))
    return low if low == high else f"{low} to {high}"


def _figure(score: float) -> str:
    return f"{round(score, 4) + 0.0:.4f}"
