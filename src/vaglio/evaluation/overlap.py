"""Test rows that were used for training: measures on them say how well a model remembers, not how well it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.rows import Rows
from vaglio.fitted import Fitted
from vaglio.fitted.row_sketch import RowSketch
from vaglio.messages.message import Message, Option, text

__all__ = ["Overlap", "find_overlap"]

# Test rows that are looked at: drawn at random from a larger table.
_MOST_ROWS = 100_000
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
        Accuracy of the learner as it was measured when the model was trained, and how; empty if it was not.
    """

    rows: int
    shared: int
    exact: bool
    known: dict[str, Any]

    def in_words(self) -> Message:
        """Return what the figures are worth, and where to find better ones."""
        told: dict[str, Any] = {"shared": self._count, "rows": self.rows, "remedy": self._remedy}
        if 2 * self.shared < self.rows:
            return Message(
                "rows-also-used-for-training",
                "{shared} of the {rows:,} rows were also used for training, so the figures are better than on new "
                "rows. {remedy}",
                **told,
            )
        return Message(
            "rows-used-for-training",
            "{shared} of {rows:,} rows were used for training: this is training accuracy, not an estimate for new "
            "rows. {remedy}",
            **told,
        )

    @property
    def _count(self) -> Message:
        return text("{n:,}", n=self.shared) if self.exact else text("About {n:,}", n=self.shared)

    @property
    def _remedy(self) -> Message:
        how, accuracy = self.known.get("how"), self.known.get("accuracy")
        if isinstance(how, str) and isinstance(accuracy, float):
            return text("When the model was trained, accuracy was {accuracy:.4f} {how}.", accuracy=accuracy, how=how)
        return text(
            "Evaluate on other rows, or evaluate the learner by cross-validation: {option}.",
            option=Option("evaluate_by_folds(learner, X, y)", flag="vaglio evaluate TABLE --learner ID --folds 10"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the overlap as plain data, ready for JSON."""
        return {"rows": self.rows, "shared": self.shared, "exact": self.exact, **self.in_words().as_data()}


def find_overlap(model: Any, rows: Rows, n_rows: int) -> Overlap | None:
    """Return how many rows a model was trained on; None if there are none, or it cannot be known.

    Parameters
    ----------
    model : Fitted or classifier
        Only models of vaglio keep hashes of their training rows.
    rows : Rows
        The test rows.
    n_rows : int
        How many of them have a class; rows out of core may not know before they are read.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.evaluation.overlap import find_overlap
    >>> from vaglio.evaluation.rows import Rows
    >>> table = vaglio.datasets.load("iris")
    >>> model = vaglio.C45Classifier().fit(*table.take(range(0, 150, 2)).xy("species"))
    >>> find_overlap(model, Rows.of(table, "species"), 150).shared >= 75
    True
    >>> find_overlap(model, Rows.of(table.take(range(1, 150, 2)), "species"), 75)
    """
    model = getattr(model, "estimator_", model) if isinstance(model, CostSensitiveClassifier) else model
    fitted = model if isinstance(model, Fitted) else getattr(model, "fitted_", None)
    if not isinstance(fitted, Fitted):
        return None
    sketch = RowSketch.from_training(fitted.provenance.get("training"))
    if sketch is None:
        return None
    some = rows.sample(_MOST_ROWS, np.random.default_rng(0))
    seen = sketch.knows(fitted.codebook.encode(some.X))
    found, looked = int(seen.sum()), len(seen)
    if not found or binom.sf(found - 1, looked, sketch.repeated) > _LEVEL:
        return None
    exact = looked == n_rows and len(sketch.hashes) == sketch.rows
    shared = round(found * sketch.rows / len(sketch.hashes) * n_rows / looked)
    known = fitted.provenance.get("scores")
    return Overlap(n_rows, min(shared, n_rows), exact, known if isinstance(known, dict) else {})
