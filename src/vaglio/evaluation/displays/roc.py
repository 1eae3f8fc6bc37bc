"""The ROC curve."""

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

__all__ = ["RocCurveDisplay"]


class RocCurveDisplay(ScoreDisplay):
    """False against true positive rate. Suitable for balanced classes; for others see precision-recall.

    Parameters
    ----------
    fpr, tpr : ndarray or list of ndarray
        One array per curve.
    roc_auc : float or list of float, optional
    name : str or list of str, optional
    pos_label : optional

    Examples
    --------
    >>> from vaglio import RocCurveDisplay
    >>> display = RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> display.roc_auc
    [0.75]
    """

    def __init__(self, *, fpr: Any, tpr: Any, roc_auc: Any = None, name: Any = None, pos_label: object = None) -> None:
        self.fpr = fpr if isinstance(fpr, list) else [fpr]
        self.tpr = tpr if isinstance(tpr, list) else [tpr]
        self.roc_auc = as_list(roc_auc, len(self.fpr))
        self.name = as_list(name, len(self.fpr))
        self.pos_label = pos_label

    @classmethod
    @checked
    def from_evaluation(
        cls, evaluation: Evaluation, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> RocCurveDisplay:
        """Draw for an :class:`~vaglio.evaluation.Evaluation` that has scores."""
        labels = curve_labels(evaluation)
        curves = [evaluation.roc(label) for label in labels]
        display = cls(
            fpr=[c.fpr for c in curves],
            tpr=[c.tpr for c in curves],
            roc_auc=[c.auc for c in curves],
            name=curve_names(labels, name),
            pos_label=labels[0] if len(labels) == 1 else None,
        )
        return display.plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, plot_chance_level: bool = True, lang: str | Locale = "en", **kwargs: Any
    ) -> RocCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; other arguments go to the lines."""
        locale, ax = locale_of(lang), axes_for(ax)
        if plot_chance_level:
            draw_reference(ax, (0, 1), (0, 1))
        curves = [
            Curve(x, y, join(" ", filter(None, (name, None if area is None else text("(area {area:.3f})", area=area)))))
            for x, y, area, name in zip(self.fpr, self.tpr, self.roc_auc, self.name, strict=True)
        ]
        self.line_ = draw_curves(
            ax,
            curves,
            xlabel=text("False positive rate"),
            ylabel=text("True positive rate"),
            unit_square=True,
            locale=locale,
            legend="lower right",
            **kwargs,
        )
        return self._keep(ax)
