"""How good is it: predictions on rows the model did not learn from, for the commands that train."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaglio.cli._output import progress
from vaglio.cli._plan import Plan
from vaglio.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from vaglio.evaluation import Evaluation


@dataclass(frozen=True)
class Judging:
    """What an evaluation is to mind: the positive class and the costs, as the options name them."""

    positive: str | None = None
    cost: Path | None = None

    def keywords(self, labels: Any) -> dict[str, Any]:
        """The arguments of ``evaluate``, for these classes."""
        from vaglio.evaluation import CostMatrix
        from vaglio.evaluation.labels import find_label

        positive = None if self.positive is None else find_label(self.positive, labels)
        cost = None if self.cost is None else CostMatrix.from_any(self.cost, labels=labels)
        return {"pos_label": positive, "cost": cost}


def learning_rows(data: Any, folds: int | None = None) -> tuple[Any, np.ndarray]:
    """What to learn from and what to learn; refused if there is nothing to learn, or too little for the folds."""
    X, y = data.xy()
    if not X.columns:
        raise InputError(f"beside the class {data.target!r} there is no column to learn from.")
    if len(set(y.tolist())) < 2:
        label = y[0].item() if hasattr(y[0], "item") else y[0]
        raise InputError(
            f"every row has the class {label!r}: there is nothing to tell apart; is {data.target!r} the right target?"
        )
    if folds is not None and folds > len(y):
        raise InputError(f"{len(y)} rows cannot be cut into {folds} folds: ask for fewer.")
    return X, y


def learnable(data: Any) -> bool:
    """Whether there are a class of two values and a column to learn it from."""
    if data.target is None:
        return False
    X, y = data.xy()
    return bool(X.columns) and len(set(y.tolist())) > 1


def evaluate_learner(
    estimator: Any, X: Any, y: np.ndarray, plan: Plan, seed: int, further: Any, judging: Judging
) -> Evaluation:
    """Evaluate as planned; with folds, no model of all rows is made."""
    if plan.folds is None:
        evaluation = fit_and_evaluate(estimator, X, y, plan, seed, further, judging)[1]
        assert evaluation is not None
        return evaluation
    return _by_folds(estimator, X, y, plan.folds, seed, judging)


def _by_folds(estimator: Any, X: Any, y: np.ndarray, folds: int, seed: int, judging: Judging) -> Evaluation:
    from vaglio.evaluation import SplitRules, evaluate_by_folds

    keywords = judging.keywords(_classes(y))
    return evaluate_by_folds(estimator, X, y, n_splits=folds, rules=SplitRules(seed=seed), **keywords)


def _classes(y: np.ndarray) -> list[Any]:
    import numpy as np

    return np.unique(y).tolist()


def fit_and_evaluate(
    estimator: Any, X: Any, y: np.ndarray, plan: Plan, seed: int, further: Any, judging: Judging | None = None
) -> tuple[int, Evaluation | None]:
    """Fit the estimator, and evaluate it as planned.

    Parameters
    ----------
    estimator : classifier
        It is fitted on all rows, except those held out.
    X, y : the table and its classes
    plan : Plan
    seed : int
        Of the folds or the rows held out.
    further : Table or None
        The test table, its target marked.
    judging : Judging, optional

    Returns
    -------
    rows : int
        How many the estimator was trained on.
    evaluation : Evaluation or None
    """
    from vaglio.evaluation import SplitRules, evaluate, make_holdout
    from vaglio.evaluation.labels import labels_like

    judging = judging or Judging()
    keywords = judging.keywords(_classes(y))
    evaluation, unseen = None, None
    if plan.folds is not None:
        evaluation = _by_folds(estimator, X, y, plan.folds, seed, judging)
    elif plan.holdout is not None:
        train, test = make_holdout(y, plan.holdout, SplitRules(seed=seed))
        unseen = X[test], y[test]
        X, y = X[train], y[train]
    elif further is not None:
        rows, labels = further.xy()
        unseen = rows.select(X.columns), labels
    with progress(f"training on {len(X):,} rows", counted=False):
        estimator.fit(X, y)
    if unseen is not None:
        rows, labels = unseen
        evaluation = evaluate(estimator, rows, labels_like(labels, estimator.classes_.tolist()), **keywords)
    return len(X), evaluation
