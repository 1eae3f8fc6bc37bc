"""The precision-recall curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.evaluation.displays._base import ScoreDisplay, as_list, curve_labels, curve_names
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import join, text
from vaglio.plot.evaluation import Curve, draw_curves, draw_reference
from vaglio.plot.style import axes_for, draws_names
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrecisionRecallDisplay"]


class PrecisionRecallDisplay(ScoreDisplay):
    """Recall against precision, in steps. It suits imbalanced classes better than ROC.

    Parameters
    ----------
    precision, recall : ndarray or list of ndarray
        One array per curve.
    average_precision : float or list of float, optional
    name : str or list of str, optional
    pos_label : optional
    prevalence_pos_label : float or list of float, optional
        Share of the class: the precision of predicting it for every row, drawn as a reference line.

    Examples
    --------
    >>> from vaglio import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> round(display.average_precision[0], 4)
    0.8333
    """

    def __init__(
        self,
        precision: Any,
        recall: Any,
        *,
        average_precision: Any = None,
        name: Any = None,
        pos_label: object = None,
        prevalence_pos_label: Any = None,
    ) -> None:
        self.precision = precision if isinstance(precision, list) else [precision]
        self.recall = recall if isinstance(recall, list) else [recall]
        self.average_precision = as_list(average_precision, len(self.recall))
        self.name = as_list(name, len(self.recall))
        self.pos_label = pos_label
        self.prevalence_pos_label = as_list(prevalence_pos_label, len(self.recall))

    @classmethod
    @checked
    def from_evaluation(
        cls, evaluation: Evaluation, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> PrecisionRecallDisplay:
        """Draw for an :class:`~vaglio.evaluation.Evaluation` that has scores."""
        labels = curve_labels(evaluation)
        curves = [evaluation.precision_recall(label) for label in labels]
        display = cls(
            [c.precision for c in curves],
            [c.recall for c in curves],
            average_precision=[c.average_precision for c in curves],
            name=curve_names(labels, name),
            pos_label=labels[0] if len(labels) == 1 else None,
            prevalence_pos_label=[c.prevalence for c in curves],
        )
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, plot_chance_level: bool = True, lang: str | Locale = "en", **kwargs: Any
    ) -> PrecisionRecallDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines."""
        locale, ax = locale_of(lang), axes_for(ax)
        prevalence = self.prevalence_pos_label[0]
        if plot_chance_level and len(self.recall) == 1 and prevalence is not None:
            draw_reference(ax, (0, 1), (prevalence, prevalence))
        curves = [
            Curve(x, y, join(" ", filter(None, (name, None if area is None else text("(AP {area:.3f})", area=area)))))
            for x, y, area, name in zip(self.recall, self.precision, self.average_precision, self.name, strict=True)
        ]
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("Recall"),
            ylabel=text("Precision"),
            # Steps, because no classifier lies between two points: straight lines would be too optimistic.
            drawstyle="steps-pre",
            unit_square=True,
            locale=locale,
            legend="lower left",
            **kwargs,
        )
        return self._keep(ax)
