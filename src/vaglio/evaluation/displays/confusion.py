"""The confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.messages.locale import Locale, locale_of
from vaglio.plot.evaluation import draw_confusion
from vaglio.plot.style import axes_for, draws_names
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, Predictor, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConfusionMatrixDisplay"]


class ConfusionMatrixDisplay:
    """Rows are true classes, columns predicted ones; shaded by the share of each row, so that small classes show too.

    Parameters
    ----------
    confusion_matrix : ndarray of shape (n_classes, n_classes)
    display_labels : sequence, optional

    Examples
    --------
    >>> from vaglio import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay.from_predictions(["a", "a", "b"], ["a", "b", "b"])
    >>> display.confusion_matrix.tolist()
    [[1, 1], [0, 1]]
    """

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        self.confusion_matrix = np.asarray(confusion_matrix)
        n = len(self.confusion_matrix)
        self.display_labels = list(range(n)) if display_labels is None else list(display_labels)
        if self.confusion_matrix.shape != (len(self.display_labels),) * 2:
            raise InputError(
                "matrix-shape",
                "A matrix of shape {shape} does not fit {n_display_labels} labels.",
                shape=self.confusion_matrix.shape,
                n_display_labels=len(self.display_labels),
            )

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Predictor,
        X: TableLike,
        y: ColumnLike,
        *,
        labels: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        normalize: str | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw for a fitted model on rows whose class is known."""
        return cls.from_predictions(
            y, estimator.predict(X), labels=labels, sample_weight=sample_weight, normalize=normalize, **kwargs
        )

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: ColumnLike,
        y_pred: ColumnLike,
        *,
        labels: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        normalize: str | None = None,
        display_labels: ColumnLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw for labels; ``normalize`` is "true", "pred" or "all"."""
        evaluation = Evaluation.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        return cls.from_evaluation(evaluation, normalize=normalize, display_labels=display_labels, ax=ax, **kwargs)

    @classmethod
    @checked
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        *,
        normalize: str | None = None,
        display_labels: ColumnLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw for an :class:`~vaglio.evaluation.Evaluation`."""
        matrix = evaluation.confusion
        if normalize is not None:
            if normalize not in ("true", "pred", "all"):
                raise InputError(
                    "wrong-normalize",
                    "normalize is {normalize!r}; it must be 'true', 'pred', 'all' or None.",
                    normalize=normalize,
                )
            total = matrix.sum(axis={"true": (1,), "pred": (0,), "all": (0, 1)}[normalize], keepdims=True)
            matrix = np.divide(matrix, total, out=np.zeros(matrix.shape), where=total > 0)
        shown = evaluation.labels if display_labels is None else display_labels
        if normalize is not None:
            kwargs.setdefault("values_format", ".2f")
        return cls(matrix, display_labels=shown).plot(ax=ax, **kwargs)

    @checked
    @draws_names
    def plot(
        self, ax: Axes | None = None, *, values_format: str | None = None, lang: str | Locale = "en"
    ) -> ConfusionMatrixDisplay:
        """Draw into ``ax`` or a new figure, in this language."""
        side = min(3.2 + 0.45 * len(self.display_labels), 12)
        self.ax_ = axes_for(ax, size=(side, side))
        self.text_ = draw_confusion(
            self.ax_, self.confusion_matrix, self.display_labels, values_format=values_format, locale=locale_of(lang)
        )
        self.figure_ = self.ax_.figure
        return self
