"""Try settings on folds and take the best one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.race import Race
from vaglio.evaluation.selection.search import Budget, SearchPlan, halving_params, proposed_settings, within_budget
from vaglio.evaluation.selection.splits import Fold
from vaglio.evaluation.selection.trials import Trial, run_trials
from vaglio.runtime.interrupts import noticing_interrupts
from vaglio.runtime.progress import Report

__all__ = ["Choice", "Chooser"]


@dataclass(frozen=True)
class Choice:
    """What was tried and what was best."""

    trials: tuple[Trial, ...]
    best: Trial
    interrupted: bool = False
    out_of_time: bool = False


@dataclass(frozen=True)
class Chooser:
    """Learners, the search over their parameters, the score that decides, and whether settings race for it."""

    candidates: list[Candidate]
    plan: SearchPlan
    scorer: Callable[..., float]
    n_jobs: int | None = None
    race: bool = False

    def run(self, rows: Rows, folds: Sequence[tuple[Part, Part]], budget: Budget, report: Report) -> Choice:
        """Every setting on every fold, until done, out of time or interrupted."""
        trials: list[Trial] = []
        interrupted = False
        settings: Sequence[tuple[Candidate, Mapping[str, Any]]] = proposed_settings(self.candidates, self.plan)
        n_asked = len(settings)
        try:
            if self.plan.kind == "halving":
                settings = [*settings, *self._halved(rows, folds, budget, report)]
                n_asked = len(settings)
            self._try(rows, folds, within_budget(settings, budget, len(self.candidates)), n_asked, trials, report)
        except KeyboardInterrupt:
            if not any(not trial.error for trial in trials):
                raise
            interrupted = True
        return Choice(tuple(trials), best_of(trials), interrupted, not interrupted and len(trials) < n_asked)

    def _try(
        self,
        rows: Rows,
        folds: Sequence[tuple[Part, Part]],
        settings: Iterable[Any],
        n_asked: int,
        trials: list[Trial],
        report: Report,
    ) -> None:
        """Put a trial of each setting into the list, as they finish."""
        total = n_asked * len(folds) if self.race else n_asked
        with noticing_interrupts() as interrupts:

            def noted(done: int, learner: str) -> None:
                interrupts.check()
                report(done, total, f"trying {learner}")

            if self.race:
                Race(rows, folds, self.scorer, self.n_jobs, trials).run(settings, noted)
                return
            for trial in run_trials(rows, folds, settings, self.scorer, n_jobs=self.n_jobs):
                noted(len(trials) + 1, trial.learner)
                trials.append(trial)

    def _halved(
        self, rows: Rows, folds: Sequence[Fold], budget: Budget, report: Report
    ) -> list[tuple[Candidate, Mapping[str, Any]]]:
        """For each learner the setting that survived halving; it is then tried on all rows, like the others."""
        tunable = [candidate for candidate in self.candidates if candidate.space]
        found: list[tuple[Candidate, Mapping[str, Any]]] = []
        for i, candidate in enumerate(tunable):
            if budget.spent:
                break
            report(i, len(tunable), f"halving {candidate.name}")
            try:
                found.append((candidate, halving_params(candidate, rows, folds, self.scorer, self.plan, self.n_jobs)))
            except ValueError:
                # Too few rows to halve, or every setting failed: the trial of its defaults shows which.
                continue
        return found

    def refit(self, trial: Trial, rows: Rows) -> Any:
        """The chosen setting, trained on all of these rows."""
        candidate = next(c for c in self.candidates if c.name == trial.learner)
        return rows.fit(candidate.make(trial.params))


def best_of(trials: Sequence[Trial]) -> Trial:
    """The highest mean score of those tried on the most folds; among equals the first tried."""
    working = [trial for trial in trials if not trial.error and np.isfinite(trial.score)]
    if not working:
        reasons = "; ".join(dict.fromkeys(f"{t.learner}: {t.error or 'its score is not a number'}" for t in trials))
        raise InputError(f"No learner could be trained. {reasons}")
    return max(working, key=lambda trial: trial.rank)
