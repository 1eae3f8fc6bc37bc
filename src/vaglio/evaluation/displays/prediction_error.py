"""Predicted numbers against the true ones, and residuals against the predictions: they show where a model is off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.model_evaluation import evaluate
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.plot.evaluation import draw_reference
from vaglio.plot.style import PALETTE, axes_for, draws_names, quiet
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, Predictor, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PredictionErrorDisplay"]

KINDS = ("actual_vs_predicted", "residual_vs_predicted")
# More points than these hide each other: of more rows a random sample is drawn.
_MOST_POINTS = 2000


class PredictionErrorDisplay:
    """True numbers, or residuals (true minus predicted), against the predicted ones.

    Parameters
    ----------
    y_true, y_pred : ndarray

    Examples
    --------
    >>> from vaglio import PredictionErrorDisplay
    >>> display = PredictionErrorDisplay.from_predictions([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], kind="actual_vs_predicted")
    >>> display.ax_.get_xlabel()
    'Predicted number'
    """

    ax_: Any
    figure_: Any

    def __init__(self, *, y_true: np.ndarray, y_pred: np.ndarray) -> None:
        self.y_true = y_true
        self.y_pred = y_pred

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Predictor,
        X: TableLike,
        y: ColumnLike,
        *,
        kind: str = "residual_vs_predicted",
        ax: Axes | None = None,
        lang: str | Locale = "en",
    ) -> PredictionErrorDisplay:
        """Draw for a fitted model (or :class:`~vaglio.fitted.Fitted`) on rows whose number is known."""
        return cls.from_evaluation(evaluate(estimator, X, y), kind=kind, ax=ax, lang=lang)

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: ColumnLike,
        y_pred: ColumnLike,
        *,
        kind: str = "residual_vs_predicted",
        ax: Axes | None = None,
        lang: str | Locale = "en",
    ) -> PredictionErrorDisplay:
        """Draw for predicted numbers."""
        evaluation = RegressionEvaluation.from_predictions(y_true, y_pred)
        return cls.from_evaluation(evaluation, kind=kind, ax=ax, lang=lang)

    @classmethod
    @checked
    def from_evaluation(
        cls,
        evaluation: RegressionEvaluation,
        *,
        kind: str = "residual_vs_predicted",
        ax: Axes | None = None,
        lang: str | Locale = "en",
    ) -> PredictionErrorDisplay:
        """Draw for a :class:`~vaglio.evaluation.RegressionEvaluation`."""
        return cls(y_true=evaluation.true, y_pred=evaluation.predicted).plot(kind=kind, ax=ax, lang=lang)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, kind: str = "residual_vs_predicted", lang: str | Locale = "en"
    ) -> PredictionErrorDisplay:
        """Draw into ``ax`` or a new figure, in this language.

        Parameters
        ----------
        ax : Axes, optional
        kind : {"actual_vs_predicted", "residual_vs_predicted"}
        lang : str or Locale, default="en"
        """
        if kind not in KINDS:
            allowed = listed(KINDS, quoted=True, last="or")
            raise InputError(
                "unknown-choice", "{name} is {value!r}; it must be {allowed}.", name="kind", value=kind, allowed=allowed
            )
        locale, ax = locale_of(lang), axes_for(ax)
        rows = np.arange(len(self.y_true))
        if len(rows) > _MOST_POINTS:
            rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_POINTS, replace=False))
        x, true = self.y_pred[rows], self.y_true[rows]
        of_residuals = kind == "residual_vs_predicted"
        size = 14 if len(rows) <= 500 else 7
        ax.scatter(x, true - x if of_residuals else true, s=size, color=PALETTE[0], alpha=0.5, linewidths=0)
        ends = (float(min(x.min(), true.min())), float(max(x.max(), true.max())))
        across = (float(x.min()), float(x.max()))
        draw_reference(ax, *((across, (0.0, 0.0)) if of_residuals else (ends, ends)), text("no error"), locale=locale)
        quiet(ax, locale=locale)
        ax.set_xlabel(locale.say("Predicted number"))
        ax.set_ylabel(locale.say("Residual (true minus predicted)") if of_residuals else locale.say("True number"))
        ax.legend(frameon=False, fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
