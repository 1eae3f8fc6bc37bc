"""Choose a learner and its parameters, and evaluate the chosen model.

No information leaks from the test rows: preprocessing is part of the estimator, an estimator is fitted on training rows
only, and the test rows are used once, after the choice. Strategies that choose on the test rows say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.metrics.scoring import Scorer, is_mean_of_rows, resolve_scorer
from vaglio.evaluation.model_evaluation import evaluate_found, with_training_rows
from vaglio.evaluation.overlap import find_overlap
from vaglio.evaluation.rows import MemoryRows, Part, Rows
from vaglio.evaluation.selection.candidates import costs_and_rows, resolve_learners, task_asked, with_costs
from vaglio.evaluation.selection.folds import pooled
from vaglio.evaluation.selection.search import Budget, Chooser, SearchPlan
from vaglio.evaluation.selection.selection_result import OuterFold, Selection
from vaglio.evaluation.selection.splits import SplitRules, test_share
from vaglio.evaluation.selection.strategies import Strategy, find_strategy
from vaglio.evaluation.tasks import keeping_results
from vaglio.messages.sentences import listed
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption, Report, reporting
from vaglio.typing import ColumnLike, CostLike, Estimator, Learners, TableSource

__all__ = ["select", "tune"]

# Training rows that are scored: more would only make the comparison with the test score slower.
_TRAIN_SAMPLE = 5000


@checked
def select(
    table: TableSource | Rows,
    target: str | int | ColumnLike | None = None,
    learners: Learners | None = None,
    *,
    strategy: str = "cross-validation",
    scoring: str | Scorer | None = None,
    cost: CostLike | None = None,
    search: str = "random",
    n_iter: int = 10,
    folds: int = 10,
    outer_folds: int | None = None,
    race: bool = False,
    test_size: float | str = 0.2,
    test: TableSource | Rows | None = None,
    stratify: bool = True,
    groups: str | ColumnLike | None = None,
    time_ordered: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    time_budget: float | None = None,
    task: str = "auto",
    progress: ProgressOption = None,
) -> Selection:
    """Try learners and their parameters, choose one, train it on all training rows, and evaluate it.

    Parameters
    ----------
    table, target : table and name of its target column, or X and the labels or numbers
        Rows of a scanned table or a Dask frame stay where they are. They are divided by the hash of their number,
        which takes the place of ``stratify``; ``rows`` of the result says so.
    learners : ids, estimators, or a mapping of names to either or to (estimator, search space)
        By default every learner of the task.
    strategy : {"zero", "quick", "standard", "validation", "cross-validation"}
        Each result says how reliable it is.
    scoring : str or callable, optional
        The score to choose by, by its scikit-learn name, or for numbers "rmse", "mae" and the like. By default
        accuracy, or R² of numbers.
    cost : CostMatrix, k×k array, dict of (true, predicted) pairs, CSV path, or a cost for each row
        For numbers what a unit of error costs, as ``{"over": 1, "under": 3}``: learners that have quantiles then
        predict the one of least cost.
        Predictions, choice and measures then go by cost, and the chosen model carries the costs; a learner without
        probabilities is trained with the costs as weights of the rows. Costs by row become weights of the rows.
    search : {"none", "grid", "random", "halving"}
    n_iter : int
        Settings of each learner besides its defaults.
    folds : int
        Inner folds of "cross-validation".
    outer_folds : int, optional
        Nested cross-validation: the whole choice is repeated in each outer fold and tested on the rows left out.
        The model itself is then chosen and trained on all rows.
    race : bool
        A setting that is clearly behind the best one after a fold is not tried on the folds that remain: by McNemar's
        test on all rows predicted so far (of numbers, by a paired test of their errors), at the level 0.001 for all
        pairs together. It keeps the score of its folds and is not chosen. For accuracy, costs, R², squared and absolute
        errors, whose score is a mean over rows.
    test_size : float or str
        Share of the test rows, or a split such as "80-20", "67-33", "50-50".
    test : table, optional
        Test rows with their class; all rows of ``table`` are then training rows. Only for strategies that do not
        choose on the test rows.
    stratify, time_ordered : bool
        See :class:`~vaglio.evaluation.SplitRules`.
    groups : str or array-like, optional
        The column, or the value of each row, that tells which rows belong together: no split divides them. Of rows out
        of core a column of their table or its name; folds are then made by the hash of the value.
    seed : int
        Same seed, same choice, for any ``n_jobs``.
    n_jobs : int, optional
        Processes.
    time_budget : float, optional
        Seconds; each learner is tried at least once.
    task : {"auto", "classification", "regression"}
        Whether classes or numbers are predicted; by default the target decides.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Notes
    -----
    A learner that fails is listed and does not stop the others. Ctrl-C keeps the finished trials.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> import vaglio
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "knn": (KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]})}
    >>> selection = vaglio.select(X, y, learners=learners, folds=5)
    >>> selection.strategy.reliability
    'very good'
    >>> selection.evaluation.n_rows
    30
    """
    chosen_strategy = find_strategy(strategy)
    if outer_folds is not None and strategy != "cross-validation":
        raise InputError(
            "outer-folds-without-cross-validation",
            "outer_folds repeats the selection by cross-validation. Use it with strategy='cross-validation'.",
        )
    plan = SearchPlan(search if chosen_strategy.tuned else "none", n_iter, seed)
    rules = SplitRules(stratify, None, time_ordered, seed)
    asked, able = task_asked(task, learners)
    rows = Rows.of(table, target, task=asked, able=able)
    rows = rows if groups is None else rows.with_groups(groups)
    rows.refuse(rules, search)
    costs, rows = costs_and_rows(cost, rows)
    if test is not None and (chosen_strategy.chosen_on_test or outer_folds is not None):
        raise InputError(
            "test-table-with-strategy",
            "A test table is used after the selection. Use the strategy validation or cross-validation.",
        )
    further = None if test is None else rows.like(test, target)
    _check_varies(rows)
    name, scorer = resolve_scorer(scoring, costs, rows.task)
    if race and not is_mean_of_rows(scorer):
        raise InputError(
            "race-scoring",
            "A race compares learners row by row. Select by {scores} or by cost, not by {name}.",
            scores=listed(("r2", "mae") if rows.task == "regression" else ("accuracy",)),
            name=name,
        )
    candidates = resolve_learners(learners, seed=seed, task=rows.task)
    if costs is not None:
        candidates = with_costs(candidates, costs)
    chooser = Chooser(candidates, plan, scorer, n_jobs, race)
    flow = _Flow(chosen_strategy, chooser, rules, folds, test_size, Budget(time_budget), further, costs)
    with reporting(progress) as report, keeping_results():
        selection = flow.nested(rows, outer_folds, report) if outer_folds else flow.once(rows, report)
    return replace(selection, scoring=name, cost=costs, seed=seed, rows=rows.describe(rules))


@checked
def tune(
    learner: str | Estimator,
    table: TableSource | Rows,
    target: str | int | ColumnLike | None = None,
    space: Mapping[str, Sequence[Any]] | None = None,
    **options: Any,
) -> Selection:
    """Choose the parameters of one learner, train it on all training rows, and evaluate it.

    Parameters
    ----------
    learner : str, classifier or regressor
        The id of a learner, or an estimator. Its own parameters are tried first.
    table, target : table (or its file) and name of its target column, or X and the labels or numbers
    space : mapping, optional
        Parameters and the values to try; by default the search space of the learner.
    **options
        Further arguments of :func:`vaglio.select`: ``strategy``, ``scoring``, ``cost``, ``search``, ``n_iter``,
        ``folds``, ``seed``, …

    Returns
    -------
    Selection

    Examples
    --------
    >>> import vaglio
    >>> play = vaglio.datasets.load("play")
    >>> vaglio.tune("id3", play, "play", {"max_depth": [1, 2]}, folds=3).best_estimator
    ID3Classifier(calibrate='temperature', random_state=0)
    """
    if "learners" in options:
        raise InputError("tune-one-learner", "vaglio.tune takes one learner. To try several, use vaglio.select.")
    name = learner if isinstance(learner, str) else getattr(learner, "_learner_id", type(learner).__name__)
    candidate = learner if space is None else (learner, space)
    given: Selection = select(table, target, {name: candidate}, **options)
    return given


def _check_varies(rows: Rows) -> None:
    """Raise an error if all rows have the same target; numbers out of core are not all looked at for this."""
    if rows.task == "regression":
        if isinstance(rows, MemoryRows) and np.ptp(rows.y) == 0:
            raise InputError(
                "only-one-number",
                "The target is {value:g} in every row. There is nothing to predict.",
                value=float(rows.y[0]),
            )
        return
    classes = rows.classes()
    if len(classes) < 2:
        raise InputError(
            "only-one-class",
            "All rows have the class {label!r}. A classifier needs at least two classes.",
            label=str(classes[0]),
        )


@dataclass(frozen=True)
class _Flow:
    """A strategy with everything it needs to run."""

    strategy: Strategy
    chooser: Chooser
    rules: SplitRules
    n_folds: int
    test_size: float | str
    budget: Budget
    test: Rows | None = None
    cost: CostMatrix | UnitCost | None = None

    def once(self, rows: Rows, report: Report) -> Selection:
        """Choose, train on the training rows, evaluate on the test rows."""
        folds, train, test = self._parts(rows)
        choice = self.chooser.run(rows, folds, self.budget, report)
        training = rows.take(train)
        model = self.chooser.refit(choice.best, training)
        unseen = rows.take(test) if self.test is None else self.test
        found = unseen.predict(model, seen=self.test is not None)
        evaluation = evaluate_found(found, rows.task, self.cost)
        if self.test is not None:
            evaluation = replace(evaluation, overlap=find_overlap(model, found))
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=with_training_rows(evaluation, model, training),
            score=unseen.score(self.chooser.scorer, model, found),
            train_score=training.sample(_TRAIN_SAMPLE).score(self.chooser.scorer, model),
            n_train=training.learned(model),
            judged=rows.positions(test) if self.test is None else unseen.positions(unseen.whole),
            interrupted=choice.interrupted,
            out_of_time=choice.out_of_time,
        )

    def _parts(self, rows: Rows) -> tuple[Sequence[tuple[Part, Part]], Part, Part]:
        """Folds for the choice, training rows, test rows."""
        if self.strategy.name == "zero":
            return [(rows.whole, rows.whole)], rows.whole, rows.whole
        if self.test is not None and self.strategy.name == "validation":
            return [rows.split(self.test_size, self.rules)], rows.whole, None
        if self.test is not None:
            return rows.folds(self.n_folds, self.rules), rows.whole, None
        train, test = rows.split(self.test_size, self.rules)
        if self.strategy.chosen_on_test:
            return [(train, test)], train, test
        if self.strategy.name == "validation":
            share = test_share(self.test_size)
            # The validation set is as large as the test set, but at most a third of the rest, so that enough is left.
            validation = min(share, (1 - share) / 3)
            fold = rows.split(validation / ((1 - share - validation) + validation), self.rules, within=train)
            return [fold], rows.in_order(train), test
        return rows.folds(self.n_folds, self.rules, within=train), train, test

    def nested(self, rows: Rows, outer_folds: int, report: Report) -> Selection:
        """Choose on all rows; then repeat the choice in each outer fold, to evaluate the procedure."""
        part = 1 / (outer_folds + 1)
        # The model comes first: if the user stops the rest by Ctrl-C, the model is there.
        choice = self.chooser.run(rows, rows.folds(self.n_folds, self.rules), self.budget.share(part), report)
        model = self.chooser.refit(choice.best, rows)
        outer: list[OuterFold] = []
        interrupted = choice.interrupted
        try:
            for train, test in self._outer_folds(rows, outer_folds):
                outer.append(self._outer_fold(rows, train, test, self.budget.share(part), report))
        except KeyboardInterrupt:
            if not outer:
                raise
            interrupted = True
        evaluation = pooled([fold.found for fold in outer], task=rows.task, cost=self.cost, about="selection")
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=with_training_rows(evaluation, model, rows),
            score=float(np.mean([fold.score for fold in outer])),
            train_score=rows.sample(_TRAIN_SAMPLE).score(self.chooser.scorer, model),
            n_train=rows.learned(model),
            judged=np.concatenate([fold.rows for fold in outer]),
            outer=tuple(outer),
            interrupted=interrupted,
            out_of_time=choice.out_of_time,
        )

    def _outer_folds(self, rows: Rows, outer_folds: int) -> Sequence[tuple[Part, Part]]:
        folds = rows.folds(outer_folds, self.rules)
        if len(folds) < outer_folds:
            raise InputError(
                "too-many-folds",
                "{n:,} rows cannot be divided into {folds:,} folds. Use fewer folds.",
                n=len(rows),
                folds=outer_folds,
            )
        return folds

    def _outer_fold(self, rows: Rows, train: Part, test: Part, budget: Budget, report: Report) -> OuterFold:
        choice = self.chooser.run(rows, rows.folds(self.n_folds, self.rules, within=train), budget, report)
        if choice.interrupted:  # an outer fold that tried only some of its settings would measure another procedure
            raise KeyboardInterrupt
        model = self.chooser.refit(choice.best, rows.take(train))
        unseen = rows.take(test)
        found = unseen.predict(model)
        score = unseen.score(self.chooser.scorer, model, found)
        return OuterFold(choice.best, score, rows.in_order(train), rows.positions(test), found)
