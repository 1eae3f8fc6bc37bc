"""What evaluations of classes and of numbers share: rows, folds, figures with intervals, and how they print."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vaglio.evaluation.acceptance import Acceptance, Criterion
from vaglio.evaluation.alarms import Alarm, alarms_of
from vaglio.evaluation.figures import estimate
from vaglio.evaluation.metrics.intervals import Estimate, design_effect
from vaglio.evaluation.metrics.numbers import binary_size
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from vaglio.evaluation.overlap import Overlap
    from vaglio.model.families import Task

__all__ = ["INTERVALS_ABOUT", "EvaluatedRows"]

INTERVALS_ABOUT = {
    "model": text("The intervals are about this model: what it may reach on all rows like these."),
    "learner": text(
        "The intervals are about the learner: what the models may reach that it trains on tables like this one. They "
        "allow for the rows that the folds have in common."
    ),
    "selection": text(
        "The intervals are about the whole selection: what the models may reach that are selected on tables like this "
        "one. They allow for the rows that the folds have in common."
    ),
}


class EvaluatedRows(ABC):
    """The part of an evaluation that does not depend on what is predicted; the subclasses have the fields."""

    task: ClassVar[Task]
    true: np.ndarray
    predicted: np.ndarray
    weight: np.ndarray | None
    confidence: float
    folds: np.ndarray | None
    test_ratio: float | None
    about: str
    overlap: Overlap | None

    @property
    def n_rows(self) -> int:
        """Number of rows evaluated."""
        return len(self.true)

    @property
    def design_effect(self) -> float:
        """By how much the variance of figures exceeds that of one model on independent rows; 1 without folds."""
        n_folds = 1 if self.folds is None else len(np.unique(self.folds))
        return 1.0 if n_folds < 2 else design_effect(n_folds, self.test_ratio)

    @property
    def meaning(self) -> Message:
        """What the intervals are about, in a sentence."""
        return INTERVALS_ABOUT[self.about]

    @cached_property
    def alarms(self) -> tuple[Alarm, ...]:
        """What makes these figures misleading, and what mends it: rows of the training, too few rows, one answer."""
        return alarms_of(self)

    # ---- figures --------------------------------------------------------------------------------

    @checked
    def estimate(self, measure: str, label: object = None) -> Estimate | None:
        """Return a measure with its interval; None where it is undefined, or needs what these predictions lack.

        Parameters
        ----------
        measure : str
            As in a criterion of :meth:`accept`: "accuracy", "kappa", "roc_auc", "cost", "recall", "macro_f1" of
            classes; "rmse", "mae", "r2", "bias" of numbers.
        label : optional
            The class of a rate; by default the positive one of two, or the mean over the classes.

        Examples
        --------
        >>> from vaglio.evaluation import Evaluation
        >>> e = Evaluation.from_predictions(list("aaaabbbb"), list("aaabbbbb"))
        >>> e.estimate("f1", "a")
        0.8571 (0.4623 to 0.9767)
        """
        found = self._estimates.get((measure, label))
        if found is None:
            found = self._estimates[measure, label] = (estimate(self, measure, label),)
        return found[0]

    @cached_property
    def _estimates(self) -> dict[tuple[str, object], tuple[Estimate | None]]:
        return {}

    def _value(self, name: str) -> float | None:
        """A measure without its interval."""
        found = self.estimate(name)
        return None if found is None else float(found.value)

    @property
    def mean_cost(self) -> float | None:
        """Mean cost per row of the predictions, if costs were given."""
        return self._value("cost")

    @checked
    def accept(self, criterion: str) -> Acceptance:
        """Accept or reject the predictions by a criterion on their measures.

        Parameters
        ----------
        criterion : str
            For example ``"f1 >= 0.8 and cost <= 0.5"`` or ``"rmse < 3"``; see :class:`~vaglio.evaluation.Criterion`.
        """
        return Criterion(criterion).decide(self)

    @abstractmethod
    def scores_in_brief(self) -> dict[str, float]:
        """Return the measures that a model file keeps."""

    # ---- folds ----------------------------------------------------------------------------------

    @abstractmethod
    def per_fold(self) -> list[dict[str, Any]]:
        """Return the number of each fold, its rows and some measures, for a table; none without folds."""

    def spread(self) -> list[dict[str, Any]]:
        """Mean and standard deviation over the folds, and the standard error of the mean, for a table.

        The training sets of the folds overlap. The standard error has the variance of Nadeau and Bengio: that of the
        folds times 1/J + (test rows per training row), with J folds of one division of the rows.
        """
        folds = self.per_fold()
        if len(folds) < 2:
            return []
        ratio = 1 / (len(folds) - 1) if self.test_ratio is None else self.test_ratio
        factor = math.sqrt(1 / min(len(folds), 1 + 1 / ratio) + ratio)
        found: list[dict[str, Any]] = []
        for name in list(folds[0])[2:]:
            values = np.array([fold[name] for fold in folds])
            power = binary_size(values)
            shares = np.ldexp(values, -power)
            deviation = float(np.ldexp(np.std(shares, ddof=1), power))
            found.append(
                {
                    text("measure"): name,
                    text("mean"): float(np.ldexp(shares.mean(), power)),
                    text("standard deviation"): deviation,
                    text("standard error, corrected"): deviation * factor,
                }
            )
        return found

    # ---- text, HTML and data --------------------------------------------------------------------

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""

    @abstractmethod
    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the measures and advice as plain text, in this language."""

    @abstractmethod
    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the same as a fragment of HTML."""

    def plot(self, *, lang: str | Locale = "en") -> Any:
        """Draw the curves of a classification, or predicted against true numbers.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language of the words and numbers.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from vaglio.evaluation.displays.overview import draw_overview

        evaluation: Any = self  # one of the two kinds that there are
        return draw_overview(evaluation, lang)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()
