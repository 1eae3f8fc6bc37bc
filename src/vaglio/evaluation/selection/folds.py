"""Cross-validation: every row is predicted by a model that was not trained on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.predictions import predict_with_scores
from vaglio.evaluation.selection.splits import SplitRules, make_folds
from vaglio.model.costs import CostMatrix
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.typing import CostLike

__all__ = ["evaluate_by_folds"]


def evaluate_by_folds(
    learner: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 10,
    rules: SplitRules | None = None,
    pos_label: object = None,
    cost: CostLike | None = None,
    progress: ProgressOption = None,
) -> Evaluation:
    """Evaluate a learner by cross-validation.

    Parameters
    ----------
    learner : classifier
        It is cloned and stays unchanged.
    X : table or array
        Anything that can be indexed by rows.
    y : array-like of labels
    n_splits : int
        Number of folds.
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    pos_label, cost : optional
        As in :func:`vaglio.evaluate`; a learner without probabilities is trained with the costs as weights.
    progress : bool or callable, optional
        None shows a bar on a terminal.

    Returns
    -------
    Evaluation
        Of all rows together, each predicted in the fold that was not trained on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from vaglio.evaluation import evaluate_by_folds
    >>> evaluate_by_folds(GaussianNB(), *load_iris(return_X_y=True), n_splits=5).n_rows
    150
    """
    y = np.asarray(y)
    classes = np.unique(y)
    if cost is not None:
        cost = CostMatrix.from_any(cost, labels=classes.tolist())
        learner = CostSensitiveClassifier(learner, cost)
    folds = list(make_folds(y, n_splits, rules=rules))
    predicted = np.empty(len(y), dtype=y.dtype)
    scores: np.ndarray | None = np.zeros((len(y), len(classes)))
    with reporting(progress) as report:
        for done, (train, test) in enumerate(folds):
            report(done, len(folds), "cross-validation")
            model = clone(learner).fit(X[train], y[train])
            predictions = predict_with_scores(model, X[test])
            predicted[test] = predictions.labels
            own = predictions.scores
            if own is None or scores is None or not own.probability:
                # Decision values of different models share no scale: a curve over all folds would mean nothing.
                scores = None
            else:
                # A class may be absent from a training fold: its probability is 0.
                scores[np.ix_(test, np.searchsorted(classes, own.classes))] = own.values
    return Evaluation.from_predictions(
        y, predicted, y_score=scores, labels=classes.tolist(), pos_label=pos_label, cost=cost
    )
