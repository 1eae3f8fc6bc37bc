"""Calibration: predicted probabilities against observed frequencies, with a band for each bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.evaluation.displays._base import ScoreDisplay, as_list, curve_labels, curve_names
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.plot.evaluation import Curve, draw_band, draw_curves, draw_reference
from vaglio.plot.style import PALETTE, axes_for, draws_names
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CalibrationDisplay"]


class CalibrationDisplay(ScoreDisplay):
    """Mean predicted probability against the share of rows of the class, bin by bin.

    Parameters
    ----------
    prob_true, prob_pred : ndarray or list of ndarray
        One array per curve.
    low, high : ndarray or list of ndarray, optional
        Ends of the interval of each share; without them no band is drawn.
    confidence : float, default=0.95
        Confidence level of the band.
    name : str or list of str, optional

    Examples
    --------
    >>> from vaglio import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions([0, 1, 1, 1], [0.2, 0.7, 0.7, 0.7], n_bins=2)
    >>> display.prob_true[0].tolist()
    [0.0, 1.0]
    """

    def __init__(
        self,
        prob_true: Any,
        prob_pred: Any,
        *,
        low: Any = None,
        high: Any = None,
        confidence: float = 0.95,
        name: Any = None,
    ) -> None:
        self.prob_true = prob_true if isinstance(prob_true, list) else [prob_true]
        self.prob_pred = prob_pred if isinstance(prob_pred, list) else [prob_pred]
        self.low, self.high = (as_list(end, len(self.prob_true)) for end in (low, high))
        self.confidence = confidence
        self.name = as_list(name, len(self.prob_true))

    @classmethod
    @checked
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        *,
        n_bins: int = 10,
        strategy: str = "uniform",
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw for an :class:`~vaglio.evaluation.Evaluation` that has probabilities."""
        labels = curve_labels(evaluation)
        curves = [evaluation.calibration(label, n_bins=n_bins, strategy=strategy) for label in labels]
        display = cls(
            [c.observed for c in curves],
            [c.predicted for c in curves],
            low=[c.low for c in curves],
            high=[c.high for c in curves],
            confidence=evaluation.confidence,
            name=curve_names(labels, name),
        )
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, ref_line: bool = True, lang: str | Locale = "en", **kwargs: Any
    ) -> CalibrationDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines."""
        locale, ax = locale_of(lang), axes_for(ax)
        if ref_line:
            draw_reference(ax, (0, 1), (0, 1), text("perfect"), locale=locale)
        for k, (x, low, high) in enumerate(zip(self.prob_pred, self.low, self.high, strict=True)):
            if low is not None:
                named = text("{confidence:.0%} intervals", confidence=self.confidence) if k == 0 else ""
                draw_band(ax, x, low, high, PALETTE[k % len(PALETTE)], named, locale=locale)
        curves = [Curve(x, y, name or "") for x, y, name in zip(self.prob_pred, self.prob_true, self.name, strict=True)]
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("Predicted probability"),
            ylabel=text("Observed frequency"),
            unit_square=True,
            legend="lower right",
            locale=locale,
            **{"marker": "o", "markersize": 4, **kwargs},
        )
        return self._keep(ax)
