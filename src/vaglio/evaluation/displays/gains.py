"""Gain and lift curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.evaluation.displays._base import ScoreDisplay, as_list, curve_labels, curve_names
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.plot.evaluation import Curve, draw_curves, draw_reference
from vaglio.plot.style import axes_for, draws_names
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GainCurveDisplay", "LiftCurveDisplay"]


class GainCurveDisplay(ScoreDisplay):
    """Share of the rows taken, best scores first, against the share of the positives found.

    Parameters
    ----------
    share, gain : ndarray or list of ndarray
        One array per curve.
    name : str or list of str, optional
    prevalence : float or list of float, optional
        Share of the positives: a perfect ranking has found all of them at this share of the rows.

    Examples
    --------
    >>> from vaglio import GainCurveDisplay
    >>> display = GainCurveDisplay.from_predictions([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> display.gain[0].tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    """

    def __init__(self, *, share: Any, gain: Any, name: Any = None, prevalence: Any = None) -> None:
        self.share = share if isinstance(share, list) else [share]
        self.gain = gain if isinstance(gain, list) else [gain]
        self.name = as_list(name, len(self.share))
        self.prevalence = as_list(prevalence, len(self.share))

    @classmethod
    @checked
    def from_evaluation(
        cls, evaluation: Evaluation, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> GainCurveDisplay:
        """Draw for an :class:`~vaglio.evaluation.Evaluation` that has scores."""
        labels = curve_labels(evaluation)
        curves = [evaluation.gains(label) for label in labels]
        display = cls(
            share=[c.share for c in curves],
            gain=[c.gain for c in curves],
            name=curve_names(labels, name),
            prevalence=[c.prevalence for c in curves],
        )
        return display.plot(ax=ax, **kwargs)

    @draws_names
    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en", **kwargs: Any) -> GainCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines."""
        locale, ax = locale_of(lang), axes_for(ax)
        draw_reference(ax, (0, 1), (0, 1), text("random order"), locale=locale)
        if len(self.share) == 1 and self.prevalence[0]:
            draw_reference(ax, (0, self.prevalence[0], 1), (0, 1, 1)).set_linestyle(":")
        curves = [Curve(x, y, name or "") for x, y, name in zip(self.share, self.gain, self.name, strict=True)]
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("Share of rows taken"),
            ylabel=text("Share of positives found"),
            locale=locale,
            unit_square=True,
            legend="lower right",
            **kwargs,
        )
        return self._keep(ax)


class LiftCurveDisplay(GainCurveDisplay):
    """Share of the rows taken against how many times more positives they contain than a random choice.

    Parameters
    ----------
    share, gain : ndarray or list of ndarray
        One array per curve.
    name : str or list of str, optional
    prevalence : float or list of float, optional
        Share of the positives: where a perfect ranking has found them all.

    Examples
    --------
    >>> from vaglio import LiftCurveDisplay
    >>> display = LiftCurveDisplay.from_predictions([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> display.lift[0][1:].round(2).tolist()
    [2.0, 2.0, 1.33, 1.0]
    """

    @property
    def lift(self) -> list[np.ndarray]:
        """Ratio to a random choice, for each curve."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return [np.where(s > 0, g / s, np.nan) for s, g in zip(self.share, self.gain, strict=True)]

    @draws_names
    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en", **kwargs: Any) -> LiftCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines."""
        locale, ax = locale_of(lang), axes_for(ax)
        draw_reference(ax, (0, 1), (1, 1), text("random order"), locale=locale)
        curves = [Curve(x, y, name or "") for x, y, name in zip(self.share, self.lift, self.name, strict=True)]
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("Share of rows taken"),
            ylabel=text("Lift"),
            legend="upper right",
            locale=locale,
            **kwargs,
        )
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
        return self._keep(ax)
