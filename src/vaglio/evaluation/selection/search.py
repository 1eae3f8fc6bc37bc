"""Which settings to try: all of a grid, a random choice, or by successive halving."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

from vaglio.errors import InputError
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.splits import Fold
from vaglio.evaluation.selection.trials import Rows
from vaglio.messages.sentences import did_you_mean

__all__ = ["Budget", "SearchPlan", "halving_params", "proposed_settings"]

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
            raise InputError(f"There is no search {self.kind!r}: {did_you_mean(self.kind, SEARCHES)}")
        if self.n_iter < 1:
            raise InputError(f"n_iter is {self.n_iter}; at least one setting is tried.")


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
    part = rows.part(used)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # settings that fail are scored lowest and drop out
        search.fit(part.X, part.y)
    return dict(search.best_params_)
