"""Test rows that were used for training: measures on them say how well a model remembers, not how well it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.stats import binom

from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.rows import Predicted
from vaglio.fitted import Fitted
from vaglio.fitted.row_sketch import RowSketch
from vaglio.messages.figures import figure
from vaglio.messages.message import Message, Option, join, text
from vaglio.model.families import Task

__all__ = ["Overlap", "find_overlap", "overlap_of"]

# New rows may equal training rows by chance: with a greater probability than this, nothing is said.
_LEVEL = 0.01


@dataclass(frozen=True)
class Overlap:
    """Test rows that equal training rows, more than chance explains.

    Attributes
    ----------
    rows : int
        Number of test rows.
    shared : int
        How many of them were used for training.
    exact : bool
        Whether they were counted; else their number follows from a sample of the rows.
    known : dict
        Accuracy (or RMSE) of the learner as it was measured when the model was trained, and how; empty if it was not.
    task : {"classification", "regression"}
    """

    rows: int
    shared: int
    exact: bool
    known: dict[str, Any]
    task: Task = "classification"

    def in_words(self) -> Message:
        """Return what the figures are worth, and where to find better ones."""
        return join(" ", [self.what(), self.remedy])

    def what(self) -> Message:
        """Return what the figures are worth."""
        told: dict[str, Any] = {"shared": self._count, "rows": self.rows}
        if 2 * self.shared < self.rows:
            return Message(
                "rows-also-used-for-training",
                "{shared} of the {rows:,} rows were also used for training, so the figures are better than on new "
                "rows.",
                **told,
            )
        if self.task == "regression":
            return Message(
                "number-rows-used-for-training",
                "{shared} of {rows:,} rows were used for training: these are training errors, not an estimate for new "
                "rows.",
                **told,
            )
        return Message(
            "rows-used-for-training",
            "{shared} of {rows:,} rows were used for training: this is training accuracy, not an estimate for new "
            "rows.",
            **told,
        )

    @property
    def _count(self) -> Message:
        return text("{n:,}", n=self.shared) if self.exact else text("About {n:,}", n=self.shared)

    @property
    def remedy(self) -> Message:
        """Where to find better figures."""
        how, accuracy, rmse = (self.known.get(name) for name in ("how", "accuracy", "rmse"))
        if isinstance(how, str) and isinstance(rmse, float):
            return text("When the model was trained, RMSE was {rmse} {how}.", rmse=figure(rmse), how=how)
        if isinstance(how, str) and isinstance(accuracy, float):
            return text("When the model was trained, accuracy was {accuracy:.4f} {how}.", accuracy=accuracy, how=how)
        return text(
            "Evaluate on other rows, or evaluate the learner by cross-validation: {option}.",
            option=Option("evaluate_by_folds(learner, X, y)", flag="vaglio evaluate TABLE --learner ID --folds 10"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the overlap as plain data, ready for JSON."""
        return {
            "rows": self.rows,
            "shared": self.shared,
            "exact": self.exact,
            **self.what().as_data(),
            "text": self.in_words(),
        }


def find_overlap(model: Any, found: Predicted) -> Overlap | None:
    """Return how many rows a model was trained on; None if there are none, or it cannot be known.

    Parameters
    ----------
    model : Fitted or classifier
        Only models of vaglio keep hashes of their training rows.
    found : Predicted
        What the model predicted for the test rows, asked which it had seen.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.evaluation.overlap import find_overlap
    >>> from vaglio.evaluation.rows import Rows
    >>> table = vaglio.datasets.load("iris")
    >>> model = vaglio.C45Classifier().fit(*table.take(range(0, 150, 2)).xy("species"))
    >>> find_overlap(model, Rows.of(table, "species").predict(model, seen=True)).shared >= 75
    True
    >>> find_overlap(model, Rows.of(table.take(range(1, 150, 2)), "species").predict(model, seen=True))
    """
    model = getattr(model, "estimator_", model) if isinstance(model, CostSensitiveClassifier) else model
    fitted = model if isinstance(model, Fitted) else getattr(model, "fitted_", None)
    if not isinstance(fitted, Fitted) or found.predictions.seen is None:
        return None
    return overlap_of(fitted, found.predictions.seen, len(found.true))


def overlap_of(fitted: Fitted, seen: tuple[int, int], n_rows: int) -> Overlap | None:
    """Return how many of so many rows a model was trained on, given how many of those looked up are known."""
    sketch = RowSketch.from_training(fitted.provenance.get("training"))
    known, looked = seen
    if sketch is None or not known or binom.sf(known - 1, looked, sketch.repeated) > _LEVEL:
        return None
    exact = looked == n_rows and len(sketch.hashes) == sketch.rows
    shared = round(known * sketch.rows / len(sketch.hashes) * n_rows / looked)
    scores = fitted.provenance.get("scores")
    known_scores = scores if isinstance(scores, dict) else {}
    return Overlap(n_rows, min(shared, n_rows), exact, known_scores, task_of_model(fitted))
