"""How good is it: predictions on rows the model did not learn from, for the commands that train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.cli import _session
from vaglio.cli._plan import Plan
from vaglio.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from vaglio.evaluation import Evaluation


def fit_and_evaluate(
    estimator: Any, X: Any, y: np.ndarray, plan: Plan, seed: int, further: Any
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

    Returns
    -------
    rows : int
        How many the estimator was trained on.
    evaluation : Evaluation or None
    """
    from vaglio.evaluation import SplitRules, evaluate, evaluate_by_folds, make_holdout

    if len(set(y.tolist())) < 2:
        raise InputError(f"every row has the class {y[0]!r}: there is nothing to tell apart; is this the right target?")
    rules = SplitRules(seed=seed)
    evaluation, unseen = None, None
    if plan.folds is not None:
        evaluation = evaluate_by_folds(estimator, X, y, n_splits=plan.folds, rules=rules)
    elif plan.holdout is not None:
        train, test = make_holdout(y, plan.holdout, rules)
        unseen = X[test], y[test]
        X, y = X[train], y[train]
    elif further is not None:
        rows, labels = further.xy()
        unseen = rows.select(X.columns), labels
    with _session.progress(f"training on {len(X):,} rows"):
        estimator.fit(X, y)
    if unseen is not None:
        evaluation = evaluate(estimator, *unseen)
    return len(X), evaluation
