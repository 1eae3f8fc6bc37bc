"""What the displays share: from a model to its scores, one curve per class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.model_evaluation import evaluate
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, Predictor, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScoreDisplay", "as_list"]


def as_list(value: object, length: int) -> list[Any]:
    """One value for each curve: a list as it is, a single value repeated."""
    return list(value) if isinstance(value, (list, tuple)) else [value] * length


class ScoreDisplay:
    """A figure made from scores; every way to make one ends in ``from_evaluation``.

    With more than two classes and no ``pos_label``, there is one curve per class against the rest.
    """

    ax_: Any
    figure_: Any

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Predictor,
        X: TableLike,
        y: ColumnLike,
        *,
        sample_weight: ColumnLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw for a fitted model (or :class:`~vaglio.fitted.Fitted`) on rows whose class is known."""
        evaluation = evaluate(estimator, X, y, sample_weight=sample_weight, pos_label=pos_label)
        return cls.from_evaluation(evaluation, name=name, ax=ax, **kwargs)

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: ColumnLike,
        y_score: ColumnLike | None = None,
        *,
        labels: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw for scores: of the positive class, or one column per class in the order of ``labels``."""
        evaluation = Evaluation.from_predictions(
            y_true, y_score=y_score, labels=labels, sample_weight=sample_weight, pos_label=pos_label
        )
        return cls.from_evaluation(evaluation, name=name, ax=ax, **kwargs)

    @classmethod
    @checked
    def from_evaluation(
        cls, evaluation: Evaluation, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Any:
        """Draw for an :class:`~vaglio.evaluation.Evaluation`."""
        raise NotImplementedError

    def _keep(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def curve_labels(evaluation: Evaluation) -> list[Any]:
    """The classes that get a curve."""
    if evaluation.binary or evaluation.positive is not None:
        return [evaluation.labels[evaluation.positive_index]]
    # A class without a row here, or with every row, has no curve.
    support = evaluation.rates.support
    return [label for label, n in zip(evaluation.labels, support) if 0 < n < support.sum()]


def curve_names(labels: list[Any], name: str | None) -> list[str]:
    """The name of each curve in the legend."""
    if len(labels) == 1:
        return [name or f"{labels[0]}"]
    return [f"{name}: {label}" if name else f"{label}" for label in labels]
