"""Cost against the threshold, and the distribution of the scores on both sides of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.displays._base import ScoreDisplay
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.costs import CostMatrix
from vaglio.plot.evaluation import Curve, draw_curves, draw_densities
from vaglio.plot.style import INK, axes_for, draws_names
from vaglio.runtime.arguments import checked
from vaglio.typing import CostLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CostCurveDisplay", "ScoreDensityDisplay"]


class CostCurveDisplay(ScoreDisplay):
    """Mean cost per row against the threshold of a binary classifier.

    Parameters
    ----------
    thresholds, costs : ndarray
    best_threshold : float
        The threshold at which these rows cost least.
    expected_cost : float
        What that threshold costs on rows that it was not chosen on (by ten folds): more than the minimum of the curve.
    name : str, optional

    Examples
    --------
    >>> from vaglio import CostCurveDisplay
    >>> cost = {(1, 0): 5, (0, 1): 1}
    >>> display = CostCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], cost=cost)
    >>> display.best_threshold
    0.4
    """

    def __init__(
        self,
        *,
        thresholds: np.ndarray,
        costs: np.ndarray,
        best_threshold: float,
        expected_cost: float = float("nan"),
        name: str | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.costs = costs
        self.best_threshold = best_threshold
        self.expected_cost = expected_cost
        self.name = name

    @classmethod
    @checked
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        *,
        cost: CostLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CostCurveDisplay:
        """Draw for an evaluation with two classes; without ``cost``, its own costs, or 1 per error."""
        if not evaluation.binary:
            raise InputError(
                "threshold-needs-two-classes",
                "A threshold needs two classes; there are {n:,}.",
                n=len(evaluation.labels),
            )
        if cost is None:
            cost = evaluation.cost if evaluation.cost is not None else 1 - np.eye(2)
        matrix = CostMatrix.from_any(cost, labels=evaluation.labels).matrix
        if evaluation.positive_index == 0:
            matrix = matrix[::-1, ::-1]
        table = evaluation.thresholds()
        costs = table.cost(matrix)
        chosen = evaluation.least_cost_threshold(cost)
        display = cls(
            thresholds=table.thresholds,
            costs=costs,
            best_threshold=chosen.threshold,
            expected_cost=chosen.expected,
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en", **kwargs: Any) -> CostCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the line."""
        locale, ax = locale_of(lang), axes_for(ax)
        finite = np.isfinite(self.thresholds)
        x, y = self.thresholds[finite][::-1], self.costs[finite][::-1]
        self.line_ = draw_curves(
            ax,
            [Curve(x, y, self.name or "")],
            xlabel=text("Threshold"),
            ylabel=text("Mean cost per row"),
            locale=locale,
            **{"drawstyle": "steps-pre", **kwargs},
        )
        ax.set_ylim(bottom=min(0.0, float(self.costs.min())))
        if np.isfinite(self.best_threshold):
            least = float(self.costs.min())
            ax.plot([self.best_threshold], [least], "o", color=INK, markersize=5)
            low, high = ax.get_xlim()
            side = "left" if self.best_threshold < (low + high) / 2 else "right"
            ax.annotate(
                locale.text(self._told(least)),
                (self.best_threshold, least),
                xytext=(8 if side == "left" else -8, -4),
                textcoords="offset points",
                ha=side,
                va="top",
                fontsize=9,
            )
        return self._keep(ax)

    def _told(self, least: float) -> Message:
        if not np.isfinite(self.expected_cost):
            return text("least: {least:.3g} at {threshold:.3g}", least=least, threshold=self.best_threshold)
        return text(
            "least: {least:.3g} at {threshold:.3g}; on other rows {expected:.3g}",
            least=least,
            threshold=self.best_threshold,
            expected=self.expected_cost,
        )


class ScoreDensityDisplay(ScoreDisplay):
    """The distribution of the scores of each class, with the threshold.

    Parameters
    ----------
    groups : list of (name, scores, weights)
    threshold : float, optional
    score_name : str
    """

    def __init__(self, *, groups: list[Any], threshold: float | None = None, score_name: str = text("score")) -> None:
        self.groups = groups
        self.threshold = threshold
        self.score_name = score_name

    @classmethod
    @checked
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        *,
        threshold: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ScoreDensityDisplay:
        """Draw the score of the positive class, for the rows of each true class."""
        _, score = evaluation.one_class()
        if threshold is None and evaluation.binary:
            threshold = 0.5 if evaluation.probability else 0.0
        weight = evaluation.weight
        groups = [
            (str(label), score[evaluation.true == k], None if weight is None else weight[evaluation.true == k])
            for k, label in enumerate(evaluation.labels)
        ]
        positive = evaluation.labels[evaluation.positive_index]
        what = (
            text("Probability of {label}", label=str(positive))
            if evaluation.probability
            else text("Score of {label}", label=str(positive))
        )
        display = cls(groups=groups, threshold=threshold, score_name=name or what)
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> ScoreDensityDisplay:
        """Draw into ``ax`` or a new figure, in this language."""
        ax = axes_for(ax)
        draw_densities(ax, self.groups, threshold=self.threshold, xlabel=self.score_name, locale=locale_of(lang))
        return self._keep(ax)
