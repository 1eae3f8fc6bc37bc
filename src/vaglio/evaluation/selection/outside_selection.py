"""The strategies of selection on rows outside memory: the same flow, with rows divided by the hash of their number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.lazy_predictions import predict_outside
from vaglio.evaluation.metrics.scoring import Scorer, resolve_scorer, with_known_predictions
from vaglio.evaluation.model_evaluation import evaluate_predictions
from vaglio.evaluation.outside_rows import OutsideRows
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.evaluation.selection.chooser import Chooser
from vaglio.evaluation.selection.outside_results import keeping_trials
from vaglio.evaluation.selection.pooled import pooled
from vaglio.evaluation.selection.search import Budget, SearchPlan
from vaglio.evaluation.selection.selection_result import OuterFold, Selection
from vaglio.evaluation.selection.splits import test_share
from vaglio.evaluation.selection.strategies import Strategy
from vaglio.messages.sentences import listed
from vaglio.runtime.progress import ProgressOption, Report, reporting

__all__ = ["OutsideRules", "refuse_unsuited", "select_outside"]

Folds = list[tuple[OutsideRows, OutsideRows]]
# Training rows that are scored: more would only make the comparison with the test score slower.
_TRAIN_SAMPLE = 5000


@dataclass(frozen=True)
class OutsideRules:
    """How rows are divided.

    Attributes
    ----------
    folds : int
    outer_folds : int or None
    test_size : float or str
    seed : int
    """

    folds: int
    outer_folds: int | None
    test_size: float | str
    seed: int

    def parts(self, rows: OutsideRows, strategy: Strategy) -> tuple[Folds, OutsideRows, OutsideRows]:
        """Folds for the choice, training rows, test rows."""
        if strategy.name == "zero":
            return [(rows, rows)], rows, rows
        train, test = rows.split(test_share(self.test_size), self.seed)
        if strategy.chosen_on_test:
            return [(train, test)], train, test
        return self.choosing(train, strategy), train, test

    def choosing(self, train: OutsideRows, strategy: Strategy) -> Folds:
        """Folds of the training rows; their seed is another one than that of the test rows."""
        if strategy.name == "validation":
            test = test_share(self.test_size)
            # As large as the test rows, but at most a third of the training rows.
            return [train.split(min(test / (1 - test), 1 / 3), self.seed + 1)]
        return train.folds(self.folds, self.seed + 1)


def refuse_unsuited(options: list[str]) -> None:
    """Refuse what needs the positions of all rows."""
    if options:
        raise NotSupportedError(
            f"{listed(options)} cannot be used with rows outside memory, which are divided by the hash of their "
            "number: use the random or grid search, or take a sample of the rows."
        )


def select_outside(
    rows: OutsideRows,
    test: OutsideRows | None,
    strategy: Strategy,
    learners: Any,
    scoring: str | Scorer,
    cost: Any,
    plan: SearchPlan,
    rules: OutsideRules,
    budget: Budget,
    progress: ProgressOption,
) -> Selection:
    """Choose and evaluate as :func:`vaglio.select` does."""
    if cost is not None:
        raise NotSupportedError(
            "select with costs needs the rows in memory: take a sample, or choose without costs and train the learner "
            "with them."
        )
    classes = rows.classes()
    if len(classes) < 2:
        raise InputError(f"Every row has the class {classes[0]!r}: there is nothing to learn.")
    name, scorer = resolve_scorer(scoring, None)
    chooser = Chooser(resolve_learners(learners, seed=rules.seed), plan, scorer)
    flow = _Flow(strategy, chooser, rules, budget)
    with reporting(progress) as report, keeping_trials():
        found = flow.nested(rows, report) if rules.outer_folds else flow.once(rows, test, report)
    return replace(found, scoring=name, seed=rules.seed)


@dataclass(frozen=True)
class _Flow:
    strategy: Strategy
    chooser: Chooser
    rules: OutsideRules
    budget: Budget

    def once(self, rows: OutsideRows, test: OutsideRows | None, report: Report) -> Selection:
        if test is None:
            folds, train, unseen = self.rules.parts(rows, self.strategy)
        else:
            folds, train, unseen = self.rules.choosing(rows, self.strategy), rows, test
        choice = self.chooser.run(rows, folds, self.budget, report)
        model = self.chooser.refit(choice.best, train)
        predictions, true, _ = predict_outside(model, unseen.X, unseen.y)
        scorer = self.chooser.scorer
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=evaluate_predictions(predictions, true),
            score=float(scorer(with_known_predictions(model, predictions), unseen.X, true)),
            train_score=train.sampled(_TRAIN_SAMPLE).score(scorer, model),
            n_train=model.fitted_.training_shape[0],
            interrupted=choice.interrupted,
            out_of_time=choice.out_of_time,
        )

    def nested(self, rows: OutsideRows, report: Report) -> Selection:
        """Choose on all rows; then repeat the choice in each outer fold, to evaluate the procedure."""
        assert self.rules.outer_folds is not None
        part = self.budget.share(1 / (self.rules.outer_folds + 1))
        choice = self.chooser.run(rows, self.rules.choosing(rows, self.strategy), part, report)
        model = self.chooser.refit(choice.best, rows)
        outer: list[OuterFold] = []
        interrupted = choice.interrupted
        try:
            for train, test in rows.folds(self.rules.outer_folds, self.rules.seed):
                outer.append(self._outer_fold(train, test, report))
        except KeyboardInterrupt:
            if not outer:
                raise
            interrupted = True
        return Selection(
            strategy=self.strategy,
            trials=choice.trials,
            best=choice.best,
            best_estimator=model,
            evaluation=pooled(outer, None),
            score=float(np.mean([fold.score for fold in outer])),
            train_score=rows.sampled(_TRAIN_SAMPLE).score(self.chooser.scorer, model),
            n_train=model.fitted_.training_shape[0],
            outer=tuple(outer),
            interrupted=interrupted,
            out_of_time=choice.out_of_time,
        )

    def _outer_fold(self, train: OutsideRows, test: OutsideRows, report: Report) -> OuterFold:
        assert self.rules.outer_folds is not None
        budget = self.budget.share(1 / (self.rules.outer_folds + 1))
        choice = self.chooser.run(train, self.rules.choosing(train, self.strategy), budget, report)
        if choice.interrupted:  # an outer fold that tried only some of its settings would measure another procedure
            raise KeyboardInterrupt
        model = self.chooser.refit(choice.best, train)
        predictions, true, _ = predict_outside(model, test.X, test.y)
        score = float(self.chooser.scorer(with_known_predictions(model, predictions), test.X, true))
        return OuterFold(choice.best, score, np.empty(0, dtype=np.int64), true, predictions, None)
