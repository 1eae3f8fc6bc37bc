"""What is measured of a learner besides its accuracy by folds, as tasks that processes share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from joblib import delayed

from vaglio.evaluation.comparison.requirements import (
    accuracy_with_missing,
    accuracy_with_noise,
    growth_and_size,
)
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate

__all__ = ["Measured", "RequirementTrials"]


@dataclass(frozen=True)
class Measured:
    """Robustness, growth and size of one learner; see :class:`~vaglio.evaluation.LearnerReport`."""

    noise: Mapping[float, float | None]
    missing: Mapping[float, float | None]
    scaling: tuple[Mapping[str, Any], ...]
    size: Mapping[str, int]


@dataclass(frozen=True)
class RequirementTrials:
    """What is to be measured.

    Attributes
    ----------
    rows : Rows
    folds : sequence of (training rows, test rows)
        For the robustness.
    noise, missing, sizes : sequence of float
        Shares, as in :func:`vaglio.compare`.
    seed : int
    """

    rows: Rows
    folds: Sequence[tuple[Part, Part]]
    noise: Sequence[float]
    missing: Sequence[float]
    sizes: Sequence[float]
    seed: int

    def run(self, candidates: Sequence[Candidate], *, n_jobs: int | None, long: bool) -> Iterator[Measured]:
        """Measure the candidates, in their order.

        Parameters
        ----------
        candidates : sequence of Candidate
            The slowest first, so that no process is left with it in the end.
        n_jobs : int, optional
            Processes; rows out of core are learned from in this one.
        long : bool
            Whether the work is known to take long enough for processes.
        """
        tasks = (task for candidate in candidates for task in self._tasks(candidate))
        found = self.rows.results(tasks, n_jobs, long=long)
        for _ in candidates:
            scaling, size = next(found)
            noise, missing = (
                {share: _mean(list(islice(found, len(self.folds)))) for share in shares}
                for shares in (self.noise, self.missing)
            )
            yield Measured(noise, missing, scaling, size)

    def _tasks(self, candidate: Candidate) -> Iterator[Any]:
        # The longest task comes first.
        yield delayed(growth_and_size)(candidate, self.rows, self.sizes, self.seed)
        for number, (accuracy, shares) in enumerate(
            ((accuracy_with_noise, self.noise), (accuracy_with_missing, self.missing)), start=1
        ):
            for share in shares:
                for i, fold in enumerate(self.folds):
                    yield delayed(accuracy)(candidate, self.rows, fold, share, [self.seed, i, number])


def _mean(found: Sequence[float | None]) -> float | None:
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if len(known) == len(found) else None
