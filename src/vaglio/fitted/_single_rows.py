"""What a fitted model does with one row at a time."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted
    from vaglio.fitted.one_row import Decision, OneRow


class SingleRows:
    """Predictions of single rows; only :class:`~vaglio.fitted.Fitted` inherits from this class."""

    @property
    def _fitted(self) -> Fitted:
        return self  # type: ignore[return-value]

    def predict_one(self, row: Any) -> Any:
        """Return the class (or number) of one row, in microseconds instead of the milliseconds that a table takes.

        Many threads may ask one model. A value that no training row has counts as missing, without a warning.

        Parameters
        ----------
        row : dict, tuple or list
            Values by the names of the columns, of which further ones are ignored; or in the order of the columns.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.C45Classifier().fit(X, y).fitted_
        >>> day = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}
        >>> model.predict_one(day), model.predict_proba_one(day), model.decide_one(day).probability
        ('no', [1.0, 0.0], 1.0)
        """
        return self._one.label_of(*self._one.answer(row))

    def predict_proba_one(self, row: Any) -> list[float]:
        """Return the probability of each class for one row, in the order of ``classes``.

        Parameters
        ----------
        row : dict, tuple or list
            As for :meth:`predict_one`.
        """
        chances = self._one.answer(row)[1]
        if chances is None or self._fitted.classes is None:
            raise NotSupportedError(f"The learner {self._fitted.learner!r} gives no probabilities.")
        return chances

    def decide_one(self, row: Any, reasons: bool = False) -> Decision:
        """Return the class of one row with its probability and, if asked for, the reasons.

        Parameters
        ----------
        row : dict, tuple or list
            As for :meth:`predict_one`.
        reasons : bool, default=False
            Explain the decision too, which takes milliseconds.
        """
        return self._one.decision(row, reasons)

    @cached_property
    def _one(self) -> OneRow:
        from vaglio.fitted.one_row import OneRow

        return OneRow(self._fitted)

    # The compiled form is no data: a copy in another process compiles its own.
    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self._fitted)}
