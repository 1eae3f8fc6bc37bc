"""An evaluation on one page: the confusion matrix, and the curves where there are scores."""

from __future__ import annotations

from typing import Any

from vaglio.evaluation.displays.confusion import ConfusionMatrixDisplay
from vaglio.evaluation.displays.gains import GainCurveDisplay
from vaglio.evaluation.displays.precision_recall import PrecisionRecallDisplay
from vaglio.evaluation.displays.roc import RocCurveDisplay
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale
from vaglio.plot.style import axes_grid

__all__ = ["draw_overview"]


def draw_overview(evaluation: Evaluation, lang: str | Locale = "en") -> Any:
    """Draw confusion matrix, ROC, precision-recall and gains into one figure; the matrix alone without scores."""
    if evaluation.scores is None or len(evaluation.labels) < 2:
        return ConfusionMatrixDisplay.from_evaluation(evaluation, lang=lang).figure_
    side = max(4.8, min(3.2 + 0.45 * len(evaluation.labels), 12))
    figure, axes = axes_grid(2, 2, (2.2 * side, 2 * side))
    displays: tuple[Any, ...] = (ConfusionMatrixDisplay, RocCurveDisplay, PrecisionRecallDisplay, GainCurveDisplay)
    for display, ax in zip(displays, axes.ravel(), strict=True):
        display.from_evaluation(evaluation, ax=ax, lang=lang)
    return figure
