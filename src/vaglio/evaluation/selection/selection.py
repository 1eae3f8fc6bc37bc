"""Choose a learner and its parameters, and evaluate the chosen model.

No information leaks from the test rows: preprocessing is part of the estimator, an estimator is fitted on training rows
only, and the test rows are used once, after the choice. Strategies that choose on the test rows say so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.metrics.scoring import Scorer, is_mean_of_rows, resolve_scorer, with_known_labels
from vaglio.evaluation.model_evaluation import evaluate_predictions
from vaglio.evaluation.outside_rows import OutsideRows
from vaglio.evaluation.predictions import Predictions, predict_with_scores
from vaglio.evaluation.rows import as_cost, as_rows
from vaglio.evaluation.selection.candidates import Candidate, resolve_learners
from vaglio.evaluation.selection.chooser import Chooser
from vaglio.evaluation.selection.outside_selection import OutsideRules, refuse_unsuited, select_outside
from vaglio.evaluation.selection.pooled import pooled
from vaglio.evaluation.selection.search import Budget, SearchPlan
from vaglio.evaluation.selection.selection_result import OuterFold, Selection
from vaglio.evaluation.selection.splits import Fold, SplitRules, make_folds, make_holdout, make_three_way, test_share
from vaglio.evaluation.selection.strategies import Strategy, find_strategy
from vaglio.evaluation.selection.trials import Rows
from vaglio.model.costs import CostMatrix
from vaglio.runtime.progress import ProgressOption, Report, reporting
from vaglio.table import Table
from vaglio.table.lazy import is_outside_memory
from vaglio.typing import CostLike

__all__ = ["select"]

# Training rows that are scored: more would only make the comparison with the test score slower.
_TRAIN_SAMPLE = 5000


def select(
    table: Any,
    target: Any = None,
    *,
    learners: Any = None,
    strategy: str = "cross-validation",
    scoring: str | Scorer = "accuracy",
    cost: Any = None,
    search: str = "random",
    n_iter: int = 10,
    folds: int = 10,
    outer_folds: int | None = None,
    race: bool = False,
    test_size: float | str = 0.2,
    test: Any = None,
    stratify: bool = True,
    groups: Any = None,
    time_ordered: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    time_budget: float | None = None,
    progress: ProgressOption = None,
) -> Selection:
    """Try learners and their parameters, choose one, train it on all training rows, and evaluate it.

    Parameters
    ----------
    table, target : table and name of its class column, or X and the labels
        Rows of a lazy table or a Dask frame stay where they are; they are divided by the hash of their number, which
        takes the place of ``stratify``.
    learners : ids, estimators, or a mapping of names to either or to (estimator, search space)
        By default every learner there is.
    strategy : {"zero", "quick", "standard", "validation", "cross-validation"}
        Each result says how reliable it is.
    scoring : str or callable
        The scikit-learn score to choose by.
    cost : CostMatrix, k×k array, dict of (true, predicted) pairs, CSV path, or a cost for each row
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
        test on all rows predicted so far, at the level 0.001 for all rivals together. It keeps the score of its folds
        and is not chosen. For accuracy or costs, whose score is a mean over rows.
    test_size : float or str
        Share of the test rows, or a split such as "80-20", "67-33", "50-50".
    test : table, optional
        Test rows with their class; all rows of ``table`` are then training rows. Only for strategies that do not
        choose on the test rows.
    stratify, groups, time_ordered : bool, array-like or None, bool
        See :class:`~vaglio.evaluation.SplitRules`.
    seed : int
        Same seed, same choice, for any ``n_jobs``.
    n_jobs : int, optional
        Processes.
    time_budget : float, optional
        Seconds; each learner is tried at least once.
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
    'best'
    >>> selection.evaluation.n_rows
    30
    """
    chosen_strategy = find_strategy(strategy)
    if outer_folds is not None and strategy != "cross-validation":
        raise InputError("outer_folds repeats the choice by cross-validation: use it with strategy='cross-validation'.")
    if is_outside_memory(table):
        unsuited = {"groups": groups is not None, "time_ordered": time_ordered, "search": search == "halving"}
        unsuited["race"] = race
        refuse_unsuited([name for name, asked in unsuited.items() if asked])
        division = OutsideRules(folds, outer_folds, test_size, seed)
        unseen = None if test is None else OutsideRows.of(test, target if isinstance(target, str) else target.name)
        if unseen is not None:
            _refuse_test(chosen_strategy, outer_folds)
        plan = SearchPlan(search if chosen_strategy.tuned else "none", n_iter, seed)
        return select_outside(
            OutsideRows.of(table, target), unseen, chosen_strategy, learners, scoring, cost, plan, division,
            Budget(time_budget), progress,
        )  # fmt: skip
    costs, rows = as_cost(cost, as_rows(table, target))
    further = None if test is None else _test_rows(test, target, rows, chosen_strategy, outer_folds)
    if len(np.unique(rows.y)) < 2:
        raise InputError(f"Every row has the class {rows.y[0]!r}: there is nothing to learn.")
    name, scorer = resolve_scorer(scoring, costs)
    if race and not is_mean_of_rows(scorer):
        raise InputError(f"A race compares learners row by row: choose by accuracy or by costs, not by {name}.")
    candidates = resolve_learners(learners, seed=seed)
    if costs is not None:
        candidates = [_cost_sensitive(candidate, costs) for candidate in candidates]
    plan = SearchPlan(search if chosen_strategy.tuned else "none", n_iter, seed)
    chooser = Chooser(candidates, plan, scorer, n_jobs, race)
    rules = SplitRules(stratify, None if groups is None else np.asarray(groups), time_ordered, seed)
    flow = _Flow(chosen_strategy, chooser, rules, folds, test_size, Budget(time_budget), further, costs)
    with reporting(progress) as report:
        selection = flow.nested(rows, outer_folds, report) if outer_folds else flow.once(rows, report)
    return replace(selection, scoring=name, cost=costs, seed=seed)


def _test_rows(test: Any, target: Any, rows: Rows, strategy: Strategy, outer_folds: int | None) -> Rows:
    _refuse_test(strategy, outer_folds)
    unseen = as_rows(test, target)
    if isinstance(unseen.X, Table) and isinstance(rows.X, Table):
        return replace(unseen, X=unseen.X.select(rows.X.columns))
    return unseen


def _refuse_test(strategy: Strategy, outer_folds: int | None) -> None:
    if strategy.chosen_on_test or outer_folds is not None:
        raise InputError("A test table is used after the choice: choose the strategy validation or cross-validation.")


def _cost_sensitive(candidate: Candidate, cost: CostLike) -> Candidate:
    space = {f"estimator__{key}": values for key, values in candidate.space.items()}
    return Candidate(candidate.name, CostSensitiveClassifier(candidate.estimator, cost), space)


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
    cost: CostMatrix | None = None

    def once(self, rows: Rows, report: Report) -> Selection:
        """Choose, train on the training rows, evaluate on the test rows."""
        folds, train, test = self._parts(rows)
        choice = self.chooser.run(rows, folds, self.budget, report)
        model = self.chooser.refit(choice.best, rows.part(train))
        unseen = rows.part(test) if self.test is None else self.test
        predictions = predict_with_scores(model, unseen.X)
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=self._evaluated(predictions, unseen),
            score=self._score(model, unseen, predictions),
            train_score=self._train_score(model, rows.part(train)),
            n_train=len(train),
            judged=test,
            interrupted=choice.interrupted,
            out_of_time=choice.out_of_time,
        )

    def _evaluated(self, predictions: Predictions, rows: Rows) -> Evaluation:
        # All the costs, not those the model carries: the training rows may lack a class.
        known = replace(predictions, cost=self.cost)
        return evaluate_predictions(known, rows.y, sample_weight=rows.weight)

    def _parts(self, rows: Rows) -> tuple[list[Fold], np.ndarray, np.ndarray]:
        """Folds for the choice, training rows, test rows."""
        everything = np.arange(len(rows))
        if self.strategy.name == "zero":
            return [(everything, everything)], everything, everything
        if self.test is not None:
            return self._choosing_folds(rows.y, everything), everything, np.arange(len(self.test))
        if self.strategy.name == "validation":
            train, validation, test = make_three_way(rows.y, self._shares(), self.rules)
            return [(train, validation)], np.sort(np.append(train, validation)), test
        train, test = make_holdout(rows.y, self.test_size, self.rules)
        if self.strategy.chosen_on_test:
            return [(train, test)], train, test
        return self._choosing_folds(rows.y, train), train, test

    def _choosing_folds(self, y: np.ndarray, train: np.ndarray) -> list[Fold]:
        rules = self.rules.part(train)
        if self.strategy.name == "validation":
            return [make_holdout(y[train], self.test_size, rules)]
        inner = make_folds(y[train], self._inner(y[train]), rules=rules)
        return [(train[a], train[b]) for a, b in inner]

    def _shares(self) -> tuple[float, float, float]:
        test = test_share(self.test_size)
        # The validation set is as large as the test set, but at most a third of the rest, so that enough rows are left.
        validation = min(test, (1 - test) / 3)
        return 1 - test - validation, validation, test

    def _inner(self, y: np.ndarray) -> int:
        return min(self.n_folds, len(y))

    def nested(self, rows: Rows, outer_folds: int, report: Report) -> Selection:
        """Choose on all rows; then repeat the choice in each outer fold, to evaluate the procedure."""
        part = 1 / (outer_folds + 1)
        everything = np.arange(len(rows))
        inner = make_folds(rows.y, self._inner(rows.y), rules=self.rules)
        # The model comes first: if the user stops the rest by Ctrl-C, the model is there.
        choice = self.chooser.run(rows, inner, self.budget.share(part), report)
        model = self.chooser.refit(choice.best, rows)
        outer: list[OuterFold] = []
        interrupted = choice.interrupted
        try:
            for train, test in make_folds(rows.y, outer_folds, rules=self.rules):
                outer.append(self._outer_fold(rows, train, test, self.budget.share(part), report))
        except KeyboardInterrupt:
            if not outer:
                raise
            interrupted = True
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=pooled(outer, self.cost),
            score=float(np.mean([fold.score for fold in outer])),
            train_score=self._train_score(model, rows.part(everything)),
            n_train=len(rows),
            judged=np.concatenate([fold.rows for fold in outer]),
            outer=tuple(outer),
            interrupted=interrupted,
            out_of_time=choice.out_of_time,
        )

    def _outer_fold(self, rows: Rows, train: np.ndarray, test: np.ndarray, budget: Budget, report: Report) -> OuterFold:
        training, unseen = rows.part(train), rows.part(test)
        inner = make_folds(training.y, self._inner(training.y), rules=self.rules.part(train))
        choice = self.chooser.run(training, inner, budget, report)
        if choice.interrupted:  # an outer fold that tried only some of its settings would measure another procedure
            raise KeyboardInterrupt
        model = self.chooser.refit(choice.best, training)
        predictions = predict_with_scores(model, unseen.X)
        return OuterFold(
            choice=choice.best,
            score=self._score(model, unseen, predictions),
            rows=test,
            true=unseen.y,
            predictions=predictions,
            weight=unseen.weight,
        )

    def _score(self, model: Any, rows: Rows, predictions: Predictions) -> float:
        scorer = self.chooser.scorer
        return rows.score(scorer, with_known_labels(scorer, model, predictions.labels))

    def _train_score(self, model: Any, rows: Rows) -> float:
        return rows.sampled(_TRAIN_SAMPLE).score(self.chooser.scorer, model)
