"""One simulation, what it may show, and the verdict on what it showed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

__all__ = ["KINDS", "Kind", "Outcome", "Simulation", "outcomes"]

# Standard errors by which a result may leave its range by chance.
_CHANCE = 4.0


@dataclass(frozen=True)
class Kind:
    """What a simulation measures.

    Attributes
    ----------
    name : str
    nominal : float
        What is promised.
    low, high : float
        The range in which the observed mean keeps the promise.
    """

    name: str
    nominal: float
    low: float
    high: float


KINDS = {
    kind.name: kind
    for kind in (
        Kind("coverage", 0.95, 0.93, 0.97),
        Kind("type I error", 0.05, 0.0, 0.05),
        Kind("false alarms", 0.01, 0.0, 0.01),
        # Nothing is promised: beside shares there are counts of rows.
        Kind("power", 1.0, -math.inf, math.inf),
        Kind("bias", 0.0, -0.01, 0.01),
        Kind("calibration error", 0.0, -1.0, 0.05),
    )
}


@dataclass(frozen=True)
class Simulation:
    """A question that is asked of many tables.

    Attributes
    ----------
    name : str
        What is measured and where, for example "hold-out set, 60 rows".
    kind : str
        One of :data:`KINDS`: what the mean of the answers is.
    run : callable
        From a seed to the answer: True or 1 for a hit (the interval holds the truth, the test fires), a number for a
        bias. A mapping answers for several figures at once, by name; a figure that is not defined is left out or NaN.
    short, long : int
        Number of seeds in the tests and in ``make honest``.
    allowed : (float, float), optional
        A range other than that of the kind.
    why : str
        The sentence that says why the range is another, or why the promise does not hold here.
    """

    name: str
    kind: str
    run: Callable[[int], float | Mapping[str, float]]
    short: int = 60
    long: int = 1000
    allowed: tuple[float, float] | None = None
    why: str = ""

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest mean that keep the promise."""
        kind = KINDS[self.kind]
        return self.allowed or (kind.low, kind.high)

    def answers(self, seed: int) -> dict[str, float]:
        """Return the answers of one table, by figure; a single one has no name."""
        found = self.run(seed)
        return {str(k): float(v) for k, v in found.items()} if isinstance(found, Mapping) else {"": float(found)}


@dataclass(frozen=True)
class Outcome:
    """The mean of the answers for one figure.

    Attributes
    ----------
    simulation : Simulation
    figure : str
    runs : int
    observed, error : float
        The mean and its standard error.
    """

    simulation: Simulation
    figure: str
    runs: int
    observed: float
    error: float

    @property
    def beyond(self) -> float:
        """By how many standard errors the mean is outside its range; 0 inside."""
        low, high = self.simulation.range
        outside = max(low - self.observed, self.observed - high, 0.0)
        return outside / self.error if outside else 0.0

    @property
    def holds(self) -> bool:
        """Whether the mean keeps the promise, as far as so many runs can tell."""
        return self.beyond <= _CHANCE

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.simulation.kind == "power":
            return "–"
        return "holds" if self.beyond == 0 else "holds within error" if self.holds else "does not hold"


def outcomes(simulation: Simulation, runs: int, *, n_jobs: int = 1) -> Iterator[Outcome]:
    """Run a simulation with the seeds 0, 1, … and yield one outcome per figure.

    Parameters
    ----------
    simulation : Simulation
    runs : int
        Number of tables.
    n_jobs : int, default=1
        Processes; the result does not depend on it.
    """
    answered = Parallel(n_jobs=n_jobs)(delayed(simulation.answers)(seed) for seed in range(runs))
    figures = dict.fromkeys(name for answers in answered for name in answers)
    for figure in figures:
        values = np.array([answers.get(figure, np.nan) for answers in answered])
        values = values[np.isfinite(values)]
        if len(values):
            yield Outcome(simulation, figure, len(values), float(values.mean()), _standard_error(values))


def _standard_error(values: np.ndarray) -> float:
    n = len(values)
    if np.isin(values, (0.0, 1.0)).all():
        # Agresti and Coull: not zero where all answers agree.
        share = (values.sum() + 2) / (n + 4)
        return float(np.sqrt(share * (1 - share) / (n + 4)))
    return float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
