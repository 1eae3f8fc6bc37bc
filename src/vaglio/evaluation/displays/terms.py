"""A term of an additive model as a figure: what each value of a column, or of two columns, adds to the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.edits import term_position
from vaglio.learners.additive.model.forms import TermShape, scored_classes, term_shape
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.plot.style import MUTED, PALETTE, axes_for, draws_names, quiet
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TermDisplay"]

# A band is this many standard deviations wide on each side, as in the report.
_BAND = 2.0
_MOST_TICKS = 12
# What a score is added to, by link; every other link is one of classes.
_MEASURES = {"identity": text("added to the prediction"), "log": text("added to the logarithm")}


class TermDisplay:
    """What a term of an additive model adds to the score, with a band of two standard deviations over the bags.

    Parameters
    ----------
    shape : TermShape
    labels : list of str
        The class of each score; one of a model with a single score.
    measure : str
        What is added up.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y)
    >>> display = vaglio.TermDisplay.from_estimator(model, "bill_length_mm")
    >>> display.shape.form
    'steps'
    """

    ax_: Any
    figure_: Any

    def __init__(self, *, shape: TermShape, labels: list[str], measure: str) -> None:
        self.shape = shape
        self.labels = labels
        self.measure = measure

    @classmethod
    @checked
    def from_estimator(cls, estimator: Any, term: str | int, *, ax: Axes | None = None) -> TermDisplay:
        """Draw a term of a fitted additive model.

        Parameters
        ----------
        estimator : ExplainableBoostingClassifier, ExplainableBoostingRegressor or Fitted
        term : str or int
            Name or position.
        ax : Axes, optional
        """
        fitted = getattr(estimator, "fitted_", estimator)
        model = getattr(fitted, "model", None)
        if not isinstance(model, Additive):
            raise InputError(
                "no-terms",
                "Only additive models have terms to draw. Pass a fitted ExplainableBoosting… estimator.",
            )
        shape = term_shape(model, term_position(model, term))
        labels = [str(label) for label in scored_classes(model, fitted.classes)]
        measure = _MEASURES.get(model.link, text("added to the log-odds"))
        return cls(shape=shape, labels=labels, measure=measure).plot(ax=ax)

    @checked
    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> TermDisplay:
        """Draw into ``ax`` or a new figure.

        Parameters
        ----------
        ax : Axes, optional
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        ax = axes_for(ax)
        {"steps": self._steps, "values": self._values, "cells": self._cells}[self.shape.form](ax, locale_of(lang))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _legend(self, ax: Axes) -> None:
        if len(self.labels) > 1:
            ax.legend(frameon=False, fontsize=9)

    def _steps(self, ax: Axes, locale: Locale) -> None:
        shape, xs = self.shape, np.repeat(self.shape.edges, 2)[1:-1]
        ax.axhline(0, color=MUTED, linewidth=0.8, linestyle=":")
        for k, label in enumerate(self.labels):
            middle, spread = (np.repeat(table[:, k], 2) for table in (shape.scores, _BAND * shape.deviations))
            colour = PALETTE[k % len(PALETTE)]
            ax.fill_between(xs, middle - spread, middle + spread, color=colour, alpha=0.2, linewidth=0)
            ax.plot(xs, middle, color=colour, linewidth=1.6, label=clip(label, 30))
        ax.set(xlabel=clip(shape.columns[0], 40), ylabel=locale.text(self.measure))
        quiet(ax, locale=locale)
        self._legend(ax)

    def _values(self, ax: Axes, locale: Locale) -> None:
        shape, places = self.shape, np.arange(len(self.shape.labels))
        ax.axvline(0, color=MUTED, linewidth=0.8, linestyle=":")
        for k, label in enumerate(self.labels):
            shift = (k - (len(self.labels) - 1) / 2) * min(0.2, 0.7 / len(self.labels))
            whiskers = _BAND * shape.deviations[:, k]
            colour = PALETTE[k % len(PALETTE)]
            ax.errorbar(
                shape.scores[:, k], places + shift, xerr=whiskers, fmt="o", markersize=4, color=colour,
                label=clip(label, 30),
            )  # fmt: skip
        ax.set_yticks(places, [clip(label, 24) for label in shape.labels])
        ax.invert_yaxis()
        ax.set(xlabel=locale.text(self.measure), title=clip(shape.columns[0], 40))
        quiet(ax, grid="x", locale=locale)
        self._legend(ax)

    def _cells(self, ax: Any, locale: Locale) -> None:
        shape = self.shape
        k = int(np.argmax(np.ptp(shape.scores.reshape(-1, shape.scores.shape[-1]), axis=0)))
        most = float(np.abs(shape.scores[..., k]).max(initial=0.0)) or 1.0
        image = ax.imshow(shape.scores[..., k], cmap="PuOr_r", vmin=-most, vmax=most, aspect="auto", origin="upper")
        bar = ax.figure.colorbar(image, ax=ax)
        of_label = text("{measure} of {label}", measure=self.measure, label=clip(self.labels[k], 30))
        bar.set_label(locale.text(self.measure if len(self.labels) == 1 else of_label))
        slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        for names, most, set_ticks, how in (
            (shape.labels, _MOST_TICKS, ax.set_yticks, {}),
            (shape.across, _MOST_TICKS // 2, ax.set_xticks, slanted),
        ):
            step = -(-len(names) // most)
            set_ticks(range(0, len(names), step), [clip(name, 18) for name in names[::step]], **how)
        ax.set(xlabel=clip(shape.columns[1], 40), ylabel=clip(shape.columns[0], 40))
