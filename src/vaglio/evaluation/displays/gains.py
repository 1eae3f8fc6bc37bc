"""Gain and lift curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
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
    n_rows : float, optional
        Number of rows: ``plot(counts=True)`` then draws rows and positives in place of shares.

    Examples
    --------
    >>> from vaglio import GainCurveDisplay
    >>> display = GainCurveDisplay.from_predictions([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> display.gain[0].tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    """

    def __init__(self, *, share: Any, gain: Any, name: Any = None, prevalence: Any = None, n_rows: Any = None) -> None:
        self.share = share if isinstance(share, list) else [share]
        self.gain = gain if isinstance(gain, list) else [gain]
        self.name = as_list(name, len(self.share))
        self.prevalence = as_list(prevalence, len(self.share))
        self.n_rows = n_rows

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
            n_rows=float(evaluation.confusion.sum()),
        )
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, counts: bool = False, lang: str | Locale = "en", **kwargs: Any
    ) -> GainCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines.

        With ``counts``, the axes are the number of rows taken and the number of positives among them: the lift chart of
        textbooks.
        """
        locale, ax = locale_of(lang), axes_for(ax)
        if counts:
            self._draw_counts(ax, locale, kwargs)
            return self._keep(ax)
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

    def _draw_counts(self, ax: Axes, locale: Locale, kwargs: dict[str, Any]) -> None:
        if self.n_rows is None or None in self.prevalence:
            raise InputError("gains-without-counts", "counts=True needs n_rows and prevalence. Use from_evaluation.")
        n = float(self.n_rows)
        curves: list[Curve] = []
        for share, gain, name, prevalence in zip(self.share, self.gain, self.name, self.prevalence, strict=True):
            draw_reference(ax, (0, n), (0, n * prevalence), "" if curves else text("random order"), locale=locale)
            curves.append(Curve(share * n, gain * n * prevalence, name or ""))
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("Rows taken, best scores first"),
            ylabel=text("Positives among them"),
            legend="lower right",
            locale=locale,
            **kwargs,
        )
        ax.set_xlim(0, n)
        ax.set_ylim(bottom=0)


class LiftCurveDisplay(GainCurveDisplay):
    """Share of the rows taken against how many times more positives they contain than a random choice.

    Parameters
    ----------
    share, gain : ndarray or list of ndarray
        One array per curve.
    name : str or list of str, optional
    prevalence : float or list of float, optional
        Share of the positives: where a perfect ranking has found them all.
    n_rows : float, optional
        Number of rows, as of a gain curve; lift is a ratio of shares.

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

    @checked
    @draws_names
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
