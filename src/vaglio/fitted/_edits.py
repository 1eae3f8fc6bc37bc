"""Changes that an expert makes to a fitted model, kept with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError

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
        from vaglio.model.ensembles.additive import Additive
        from vaglio.model.ensembles.additive_edit import edited

        fitted = self._edited
        if not isinstance(fitted.model, Additive):
            raise NotSupportedError(
                f"Only additive models can be edited term by term; this is a model of {fitted.learner!r}."
            )
        model, told = edited(
            fitted.model, fitted.classes, term, action, where=where, value=value, direction=direction, label=label
        )
        edits = [*self.edits, {**told, "reason": reason}]
        return replace(fitted, model=model, provenance={**fitted.provenance, "edits": edits})

    @property
    def edits(self) -> list[dict[str, Any]]:
        """What was changed in the model by hand, the first change first."""
        found = self._edited.provenance.get("edits")
        return list(found) if isinstance(found, list) else []
