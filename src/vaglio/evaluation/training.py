"""Train a learner and evaluate it as planned: by folds, on rows held out, or on a test table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.labels import find_label, labels_like
from vaglio.evaluation.metrics.cost_sensitive import (
    CostSensitiveClassifier,
    costs_of,
    fit_with_costs,
    for_unit_cost,
)
from vaglio.evaluation.model_evaluation import evaluate_found, refuse_for_numbers, with_training_rows
from vaglio.evaluation.overlap import find_overlap
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.rows import MemoryRows, Part, Predicted, Rows
from vaglio.evaluation.selection.folds import evaluate_by_folds
from vaglio.evaluation.selection.splits import SplitRules, make_folds, test_share
from vaglio.learners.estimator import VaglioEstimator
from vaglio.messages.message import Message, Option, text
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.table import Table, decide_task
from vaglio.typing import CostLike, Estimator

__all__ = ["EvaluationPlan", "Training", "evaluate_learner", "learnable", "learning_rows", "train_and_evaluate"]


@dataclass(frozen=True)
class EvaluationPlan:
    """How a learner is evaluated: by folds, on a share held out, or on a test table; by default not at all.

    Parameters
    ----------
    folds : int, optional
        Number of cross-validation folds.
    holdout : float or str, optional
        Share of the rows held out from training, or a split such as "80-20", "67-33", "50-50".
    test : Table or ScannedTable, optional
        A test table; one in memory has its target marked.
    seed : int, default=0
        Seed of the folds or of the rows held out.
    repeat : int, default=1
        How often the folds, or the rows held out, are drawn. If that is more than once, the model itself is trained on
        all rows.
    leave_one_out : bool, default=False
        As many folds as rows.

    Examples
    --------
    >>> print(EvaluationPlan(folds=10))
    by 10-fold cross-validation
    """

    folds: int | None = None
    holdout: float | str | None = None
    test: Any = None
    seed: int = 0
    repeat: int = 1
    leave_one_out: bool = False

    def __post_init__(self) -> None:
        given = [value is not None for value in (self.folds, self.holdout, self.test)]
        if sum(given) + self.leave_one_out > 1:
            raise InputError("several-evaluations", "Choose one of folds, holdout and test.")
        if self.repeat < 1 or (self.repeat > 1 and self.folds is None and self.holdout is None):
            raise InputError(
                "repeat-without-draw",
                "{option} draws folds or hold-out sets several times. Pass a number of 1 or more, and {folds} or "
                "{holdout}.",
                option=Option("repeat"),
                folds=Option("folds"),
                holdout=Option("holdout"),
            )
        if isinstance(self.holdout, str):
            object.__setattr__(self, "holdout", test_share(self.holdout))
        if isinstance(self.holdout, float) and not 0 < self.holdout < 1:
            raise InputError(
                "share-out-of-range",
                "{option} is {share:g}; it must be a share between 0 and 1, for example 0.3.",
                option=Option("holdout"),
                share=self.holdout,
            )

    @property
    def by_folds(self) -> bool:
        """Whether several models are evaluated, and the model itself is trained on all rows."""
        return self.folds is not None or self.leave_one_out or self.repeat > 1

    @property
    def held_out(self) -> float | str | None:
        """The share of the rows that the model itself is not trained on."""
        return None if self.by_folds else self.holdout

    @property
    def rules(self) -> SplitRules:
        """How rows are split."""
        return SplitRules(seed=self.seed)

    def splits(self, rows: Rows) -> Sequence[tuple[Part, Part]] | None:
        """Return training and test rows of each model of the evaluation; None if it needs but one model.

        Parameters
        ----------
        rows : Rows
        """
        if self.leave_one_out:
            if not isinstance(rows, MemoryRows):
                raise NotSupportedError(
                    "leave-one-out-in-memory", "Leaving one row out needs the rows in memory. Use 10 folds instead."
                )
            if rows.groups is not None:
                raise NotSupportedError(
                    "leave-one-out-of-groups",
                    "Leaving one row out would divide groups that are to stay together. Use 10 folds instead.",
                )
            return make_folds(rows.y, leave_one_out=True)
        if self.folds is not None and self.repeat > 1:
            return rows.folds(self.folds, self.rules, repeats=self.repeat)
        if self.holdout is not None and self.repeat > 1:
            seeds = range(self.seed, self.seed + self.repeat)
            return [rows.split(self.holdout, replace(self.rules, seed=seed)) for seed in seeds]
        return None

    def how(self, rows: Rows) -> str:
        """Return how these rows are evaluated: the plan, and how rows are divided unless they are stratified."""
        if self.folds is None and self.holdout is None:
            return self.in_words()
        divided = rows.describe(self.rules)["divided"]
        if divided == self.rules.division_of(rows.task):
            return self.in_words()
        return text("{plan}, rows assigned {divided}", plan=self.in_words(), divided=divided)

    def __str__(self) -> str:
        return str(self.in_words())

    def in_words(self) -> Message:
        """Return the plan as part of a sentence."""
        if self.test is not None:
            return text("on the test table")
        if self.folds is not None:
            if self.repeat > 1:
                return text("by {k}-fold cross-validation, {n} times", k=self.folds, n=self.repeat)
            return text("by {k}-fold cross-validation", k=self.folds)
        if self.leave_one_out:
            return text("by leave-one-out cross-validation")
        if self.holdout is None:
            return text("not evaluated")
        if self.repeat > 1:
            return text("on {n} random hold-out sets of {share:.0%} of the rows", n=self.repeat, share=self.holdout)
        return text("on a hold-out set of {share:.0%} of the rows", share=self.holdout)


@dataclass(frozen=True)
class Training:
    """A trained estimator and how good it is.

    Attributes
    ----------
    estimator : classifier or regressor
        Trained on all rows, except those held out; with costs, one of another library is wrapped in a
        :class:`~vaglio.evaluation.CostSensitiveClassifier`.
    n_rows : int
        Rows it was trained on.
    evaluation : Evaluation, RegressionEvaluation or None
        None when the plan asks for no evaluation.
    how : str
        How it was evaluated, in words.
    """

    estimator: Any
    n_rows: int
    evaluation: Any
    how: str = text("not evaluated")


@checked
def train_and_evaluate(
    estimator: Estimator,
    X: Any,
    y: Any,
    plan: EvaluationPlan,
    *,
    pos_label: Any = None,
    cost: CostLike | None = None,
    progress: ProgressOption = None,
) -> Training:
    """Fit an estimator to a table and evaluate it as planned.

    Parameters
    ----------
    estimator : classifier or regressor
        It is fitted on all rows, except those held out.
    X : table or array, ScannedTable or Dask frame, Rows
        Rows out of core are held out, and assigned to folds, by the hash of their number; others are stratified by
        class, or by quantiles of the numbers.
    y : array-like of labels or numbers, a column of the same holder, or the name of the target
    plan : EvaluationPlan
    pos_label : optional
        As in :func:`vaglio.evaluate`; the positive class may be given by how it is written.
    cost : CostMatrix, array, dict or path of a CSV file, optional
        The model carries the costs and decides by them; a learner without probabilities is trained with the costs as
        weights of the rows instead. For numbers: what a unit of error costs, as ``{"over": 1, "under": 3}``; a learner
        that has quantiles predicts the one of least cost.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Returns
    -------
    Training

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.evaluation import EvaluationPlan, train_and_evaluate
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> train_and_evaluate(vaglio.C45Classifier(), X, y, EvaluationPlan(holdout=0.25)).n_rows
    258
    """
    rows = Rows.of(X, y, task=task_of_model(estimator))
    # The class and the costs are looked up first: a wrong name is reported before the work, not after it.
    options = _options(rows, pos_label, cost)
    if isinstance(options["cost"], UnitCost):
        estimator = for_unit_cost(estimator, options["cost"])
    evaluation, test = None, None
    if plan.by_folds:
        evaluation = _by_folds(estimator, rows, plan, progress, options)
    elif plan.holdout is not None:
        training, held_out = rows.split(plan.holdout, plan.rules)
        rows, test = rows.take(training), rows.take(held_out)
    elif plan.test is not None:
        test = rows.like(plan.test)
    with reporting(progress) as report:
        report(0, 1, text("training"))
        model = _fitted(estimator, rows, options["cost"])
    if test is not None:
        found = test.predict(model, seen=plan.test is not None)
        evaluation = _of_test(found, model, rows.task, options)
        if plan.test is not None:
            evaluation = replace(evaluation, overlap=find_overlap(model, found))
    return Training(model, rows.learned(model), with_training_rows(evaluation, model, rows), plan.how(rows))


def _of_test(found: Predicted, model: Any, task: Task, options: dict[str, Any]) -> Any:
    """The evaluation of a model on test rows."""
    if task == "classification":
        found = replace(found, true=labels_like(found.true, model.classes_.tolist()))
    return evaluate_found(found, task, **options)


def _fitted(estimator: Estimator, rows: Rows, cost: CostMatrix | UnitCost | None) -> Any:
    """The estimator, fitted; one of another library is wrapped where it has to decide by costs."""
    if cost is None or isinstance(cost, UnitCost):
        return rows.fit(estimator)
    if isinstance(estimator, VaglioEstimator):
        fit_with_costs(estimator, rows.X, rows.y, cost, rows.weight)
        return estimator
    return rows.fit(CostSensitiveClassifier(estimator, cost))


@checked
def evaluate_learner(
    estimator: Estimator,
    X: Any,
    y: Any,
    plan: EvaluationPlan,
    *,
    pos_label: Any = None,
    cost: CostLike | None = None,
    progress: ProgressOption = None,
) -> Any:
    """Evaluate a learner as planned and keep no model: with folds, none is trained on all rows.

    Parameters
    ----------
    estimator : classifier or regressor
    X : Table
    y : ndarray of labels or numbers
    plan : EvaluationPlan
        It must name folds, a share held out or a test table.
    pos_label, cost : optional
        As in :func:`vaglio.evaluate`; the positive class may be given by how it is written.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Returns
    -------
    Evaluation or RegressionEvaluation
    """
    rows = Rows.of(X, y, task=task_of_model(estimator))
    if plan.by_folds:
        return _by_folds(estimator, rows, plan, progress, _options(rows, pos_label, cost))
    training = train_and_evaluate(estimator, rows, None, plan, pos_label=pos_label, cost=cost, progress=progress)
    if training.evaluation is None:
        raise InputError(
            "no-evaluation-planned",
            "There are no rows to evaluate on. Pass folds, holdout or test.",
        )
    return training.evaluation


def _by_folds(
    estimator: Estimator, rows: Rows, plan: EvaluationPlan, progress: ProgressOption, options: dict[str, Any]
) -> Any:
    cv = plan.splits(rows)
    options |= {"n_splits": plan.folds} if cv is None else {"cv": cv}
    return evaluate_by_folds(estimator, rows, rules=plan.rules, progress=progress, **options)


def _options(rows: Rows, pos_label: Any, cost: CostLike | None) -> dict[str, Any]:
    """Return the positive class and the costs, looked up among the classes of the rows."""
    if pos_label is not None and rows.task == "classification":
        pos_label = find_label(str(pos_label), rows.classes().tolist())
    elif pos_label is not None:
        refuse_for_numbers(pos_label=pos_label)
    return {"pos_label": pos_label, "cost": costs_of(cost, rows)}


def learning_rows(table: Table, folds: int | None = None, task: Task = "classification") -> tuple[Table, np.ndarray]:
    """Return inputs and targets of a table; raise an error if there is nothing to learn from them.

    Parameters
    ----------
    table : Table
        Its target is marked.
    folds : int, optional
        The rows must be enough for so many cross-validation folds.
    task : {"classification", "regression"}
    """
    X, y = table.xy(task=task)
    if not X.columns:
        raise InputError(
            "no-input-columns",
            "The table has no column to learn from besides the target {target!r}.",
            target=table.target,
        )
    check_target(y, task, table.target)
    if folds is not None and folds > len(y):
        raise InputError(
            "too-many-folds",
            "{n:,} rows cannot be divided into {folds:,} folds. Use fewer folds.",
            n=len(y),
            folds=folds,
        )
    return X, y


def check_target(y: np.ndarray, task: Task, target: str | None) -> None:
    """Raise an error if all rows have the same class, or the same number."""
    distinct = set(y.tolist())
    if len(distinct) > 1:
        return
    value = distinct.pop()
    if task == "regression":
        raise InputError(
            "constant-numbers",
            "The target {target!r} is {value:g} in every row. There is nothing to predict; is {target!r} the right "
            "target?",
            value=value,
            target=target,
        )
    raise InputError(
        "single-class",
        "All rows have the class {label!r}. A classifier needs at least two classes; is {target!r} the right target?",
        label=value,
        target=target,
    )


def learnable(table: Table) -> bool:
    """Return whether the table has a target with two values or more, and a column to learn it from.

    Parameters
    ----------
    table : Table
    """
    if table.target is None:
        return False
    X, y = table.xy(task=decide_task(table.column(table.target)).task)
    return bool(X.columns) and len(set(y.tolist())) > 1
