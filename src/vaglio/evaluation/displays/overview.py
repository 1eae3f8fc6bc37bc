"""An evaluation on one page: the confusion matrix, and curves where there are scores; of numbers, the errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.evaluation.displays.confusion import ConfusionMatrixDisplay
from vaglio.evaluation.displays.gains import GainCurveDisplay
from vaglio.evaluation.displays.precision_recall import PrecisionRecallDisplay
from vaglio.evaluation.displays.prediction_error import KINDS, PredictionErrorDisplay
from vaglio.evaluation.displays.roc import RocCurveDisplay
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.messages.locale import Locale
from vaglio.plot.style import axes_grid

__all__ = ["draw_overview"]


def draw_overview(evaluation: Evaluation | RegressionEvaluation, lang: str | Locale = "en") -> Any:
    """Draw confusion matrix, ROC, precision-recall and gains into one figure; the matrix alone without scores.

    Of numbers: the true against the predicted ones, and the residuals.
    """
    if isinstance(evaluation, RegressionEvaluation):
        figure, axes = axes_grid(1, 2, (10.6, 4.8))
        for kind, ax in zip(KINDS, np.ravel(axes), strict=True):
            PredictionErrorDisplay.from_evaluation(evaluation, kind=kind, ax=ax, lang=lang)
        return figure
    if evaluation.scores is None or len(evaluation.labels) < 2:
        return ConfusionMatrixDisplay.from_evaluation(evaluation, lang=lang).figure_
    side = max(4.8, min(3.2 + 0.45 * len(evaluation.labels), 12))
    figure, axes = axes_grid(2, 2, (2.2 * side, 2 * side))
    displays: tuple[Any, ...] = (ConfusionMatrixDisplay, RocCurveDisplay, PrecisionRecallDisplay, GainCurveDisplay)
    for display, ax in zip(displays, axes.ravel(), strict=True):
        display.from_evaluation(evaluation, ax=ax, lang=lang)
    return figure
