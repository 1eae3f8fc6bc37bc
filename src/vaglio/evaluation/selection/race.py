"""A race: settings that are clearly behind the best one after a fold are not tried on the folds that remain.

After every fold each setting is compared with the leader, row by row, on all rows predicted so far. The statistic is
McNemar's: the sum of the differences over the root of the sum of their squares, which is (b - c) / sqrt(b + c) where a
row counts as correct or not. It tests these models and not all that the learners could make of other rows, so the level
is a strict one. It holds for all pairs of a round together: the leader is the best of all, so that its lead over the
last is the largest of all differences, and not one of those to a setting named beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vaglio.evaluation.metrics.scoring import Scorer
from vaglio.evaluation.rows import Rows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.trials import Trial, run_trials

__all__ = ["LEVEL", "Race", "chance_of_being_equal", "chances_together"]

# Level of a round. Over ten folds, at most one race in a hundred stops a setting that is as good as the leader.
LEVEL = 0.001

Setting = tuple[Candidate, Mapping[str, Any]]


def chance_of_being_equal(leader: np.ndarray, rival: np.ndarray) -> float:
    """One-sided p of the paired test: how likely so large a lead is among equals.

    Parameters
    ----------
    leader, rival : ndarray
        What each row contributes to the score.

    Examples
    --------
    >>> chance_of_being_equal(np.ones(9), np.zeros(9)) < 0.002
    True
    >>> chance_of_being_equal(np.ones(9), np.ones(9))
    1.0
    """
    lead = leader - rival
    spread = math.sqrt(float(lead @ lead))
    if spread == 0:
        return 1.0
    return 0.5 * math.erfc(float(lead.sum()) / spread / math.sqrt(2))


def chances_together(chances: Mapping[int, float]) -> dict[int, float]:
    """The p of the leads over several rivals, such that a level holds for all of them together, step by step.

    As in Holm's procedure, but the leader is not named beforehand: the smallest p is multiplied by the number of pairs
    of settings, the next by that of the settings that are left, and so on; none becomes smaller than the one before it.

    Parameters
    ----------
    chances : mapping of int to float
        The p of the lead over each rival.

    Examples
    --------
    >>> chances_together({3: 0.125, 1: 0.0625, 2: 0.9})
    {1: 0.375, 3: 0.375, 2: 0.9}
    """
    found: dict[int, float] = {}
    largest = 0.0
    for done, i in enumerate(sorted(chances, key=lambda i: chances[i])):
        largest = max(largest, min(1.0, math.comb(len(chances) - done + 1, 2) * chances[i]))
        found[i] = largest
    return found


@dataclass
class Race:
    """The settings of a selection on their way through the folds.

    Attributes
    ----------
    rows, folds, scorer, n_jobs
        As in :func:`run_trials`; the score is a mean of rows.
    trials : list of Trial
        One per setting that was tried, after the rounds that were completed; ``behind`` marks those that were stopped.
    """

    rows: Rows
    folds: Sequence[Any]
    scorer: Scorer
    n_jobs: int | None
    trials: list[Trial]
    _settings: list[Setting] = field(default_factory=list, init=False)

    def run(self, settings: Iterable[Setting], noted: Callable[[int, str], None]) -> None:
        """Run fold by fold. An interrupt leaves the trials of the first fold, or those of the last completed round.

        Parameters
        ----------
        settings : iterable of (Candidate, parameters)
        noted : callable
            Called after each training with the number of trainings that are done or not needed, and the learner.
        """
        for trial in self._tried(self._remembered(settings), self.folds[0]):
            noted(len(self.trials) + 1, trial.learner)
            self.trials.append(trial)
        self.stop_those_behind(1)
        for done, fold in enumerate(self.folds[1:], start=1):
            going = [i for i, trial in enumerate(self.trials) if not trial.error and trial.behind is None]
            tried: list[Trial] = []
            for trial in self._tried([self._settings[i] for i in going], fold):
                tried.append(trial)
                noted((done + 1) * len(self.trials) - len(going) + len(tried), trial.learner)
            for i, trial in zip(going, tried, strict=True):
                self.trials[i] = _continued(self.trials[i], trial)
            self.stop_those_behind(done + 1)

    def _remembered(self, settings: Iterable[Setting]) -> Iterable[Setting]:
        for setting in settings:
            self._settings.append(setting)
            yield setting

    def _tried(self, settings: Iterable[Setting], fold: Any) -> Iterable[Trial]:
        return run_trials(self.rows, [fold], settings, self.scorer, n_jobs=self.n_jobs, by_row=True)

    def stop_those_behind(self, done: int) -> None:
        """Mark what is clearly behind the leader; after the last fold there is nothing to stop.

        Parameters
        ----------
        done : int
            Folds that every trial has seen.
        """
        scores = {i: t.row_scores for i, t in enumerate(self.trials) if t.row_scores is not None and t.behind is None}
        if done == len(self.folds) or len(scores) < 2:
            return
        leader = max(scores, key=lambda i: float(np.sum(scores[i])))
        chances = {i: chance_of_being_equal(scores[leader], rival) for i, rival in scores.items() if i != leader}
        for i, p in chances_together(chances).items():
            if p < LEVEL:
                self.trials[i] = replace(self.trials[i], behind=p)


def _continued(before: Trial, last: Trial) -> Trial:
    """The same setting after one more fold; one that fails there has failed."""
    if last.error:
        return last
    assert before.row_scores is not None
    assert last.row_scores is not None
    n = len(before.scores)
    return replace(
        last,
        scores=np.append(before.scores, last.scores),
        train_scores=np.append(before.train_scores, last.train_scores),
        fit_seconds=(n * before.fit_seconds + last.fit_seconds) / (n + 1),
        score_seconds=(n * before.score_seconds + last.score_seconds) / (n + 1),
        row_scores=np.append(before.row_scores, last.row_scores),
    )
