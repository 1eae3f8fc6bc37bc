"""The search for a setting: which to try (a grid, a random choice, successive halving), and the best on the folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

from vaglio.errors import InputError
from vaglio.evaluation.metrics.scoring import is_mean_of_rows
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.race import Race
from vaglio.evaluation.selection.splits import Fold
from vaglio.evaluation.selection.trials import Trial, run_trials
from vaglio.messages.message import join, text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.interrupts import noticing_interrupts
from vaglio.runtime.progress import Report

__all__ = ["Budget", "Choice", "Chooser", "SearchPlan", "halving_params", "proposed_settings"]

SEARCHES = ("none", "grid", "random", "halving")


@dataclass(frozen=True)
class SearchPlan:
    """How parameters are searched.

    Parameters
    ----------
    kind : {"none", "grid", "random", "halving"}
    n_iter : int
        Settings of each learner for "random" and "halving".
    seed : int
        Seed of the random choice.
    """

    kind: str = "random"
    n_iter: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in SEARCHES:
            raise InputError(
                "unknown-search",
                "There is no search {kind!r}; {hint}",
                kind=self.kind,
                hint=did_you_mean(self.kind, SEARCHES),
            )
        if self.n_iter < 1:
            raise InputError("too-few-settings", "n_iter is {n_iter}; it must be at least 1.", n_iter=self.n_iter)


@dataclass
class Budget:
    """A time limit in seconds; None is no limit."""

    seconds: float | None = None
    start: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> bool:
        """Whether the time is over."""
        return self.seconds is not None and time.monotonic() - self.start >= self.seconds

    def share(self, part: float) -> Budget:
        """A part of the whole, starting now."""
        return Budget(None if self.seconds is None else self.seconds * part)


def settings_of(candidate: Candidate, plan: SearchPlan) -> list[dict[str, Any]]:
    """The settings of one learner, its defaults first, none twice."""
    settings: list[dict[str, Any]] = [{}]
    if candidate.space and plan.kind == "grid":
        settings += list(ParameterGrid(dict(candidate.space)))
    elif candidate.space and plan.kind == "random":
        space = dict(candidate.space)
        lists = all(isinstance(values, (list, tuple)) for values in space.values())
        n = min(plan.n_iter, len(ParameterGrid(space))) if lists else plan.n_iter
        settings += list(ParameterSampler(space, n, random_state=plan.seed))
    defaults = candidate.estimator.get_params()
    # A setting equal to the defaults would repeat the first one.
    return settings[:1] + [s for s in settings[1:] if any(defaults.get(k) != v for k, v in s.items())]


def proposed_settings(candidates: Sequence[Candidate], plan: SearchPlan) -> list[tuple[Candidate, Mapping[str, Any]]]:
    """Every setting, the learners taking turns, so that each learner was tried if the time ends early."""
    queues = [[(candidate, setting) for setting in settings_of(candidate, plan)] for candidate in candidates]
    longest = max(map(len, queues), default=0)
    return [queue[i] for i in range(longest) for queue in queues if i < len(queue)]


def within_budget(settings: Sequence[Any], budget: Budget, n_certain: int) -> Iterator[Any]:
    """Settings until the time is over; the first ``n_certain`` (one per learner) are always tried."""
    for i, setting in enumerate(settings):
        if i >= n_certain and budget.spent:
            return
        yield setting


def halving_params(
    candidate: Candidate,
    rows: Rows,
    folds: Sequence[Fold],
    scorer: Any,
    plan: SearchPlan,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Parameters that survive successive halving: many settings on few rows, the best third on more."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - registers the class below
    from sklearn.model_selection import HalvingRandomSearchCV

    space = dict(candidate.space)
    n = min(plan.n_iter, len(ParameterGrid(space)))
    used = np.unique(np.concatenate([np.concatenate(fold) for fold in folds]))
    place = np.full(len(rows), -1)
    place[used] = np.arange(len(used))
    search = HalvingRandomSearchCV(
        candidate.estimator,
        space,
        n_candidates=n,
        cv=[(place[train], place[test]) for train, test in folds],
        scoring=scorer,
        refit=False,
        random_state=plan.seed,
        n_jobs=n_jobs,
    )
    part = rows.take(used)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # settings that fail are scored lowest and drop out
        search.fit(part.X, part.y)
    return dict(search.best_params_)


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
                report(done, total, text("trying {learner}", learner=learner))

            if self.race:
                Race(rows, folds, self.scorer, self.n_jobs, trials).run(settings, noted)
                return
            # Few settings are compared row by row afterwards; of a search only the best is of interest.
            by_row = self.plan.kind == "none" and is_mean_of_rows(self.scorer)
            for trial in run_trials(rows, folds, settings, self.scorer, n_jobs=self.n_jobs, by_row=by_row):
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
            report(i, len(tunable), text("halving {learner}", learner=candidate.name))
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
        told = [
            text("{learner}: {error}", learner=t.learner, error=t.error or text("its score is not a number"))
            for t in trials
        ]
        reasons = join(" ", dict.fromkeys(told))
        raise InputError("no-learner-trained", "No learner could be trained. {reasons}", reasons=reasons)
    return max(working, key=lambda trial: trial.rank)
