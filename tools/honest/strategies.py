"""How far is the score of a selected model from what it reaches, and does a race stop settings as good as the best?"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import vaglio
from tools.honest.simulation import Simulation
from tools.honest.worlds import LEARNER_WORLDS, UNSEEN, World
from vaglio.evaluation.selection.race import Race
from vaglio.evaluation.selection.trials import Trial

__all__ = ["SIMULATIONS"]

_LEARNERS = ("c45", "knn", "naive-bayes")
# Rows that stand for the truth.
_HUGE = 10_000


@cache
def _selected(world: World, n: int, strategy: str, seed: int) -> tuple[Any, float]:
    """Return the accuracy that a selection says, and the one that its model has."""
    X, y = world.draw(n, np.random.default_rng((seed, n, 5)))
    nested = strategy == "nested"
    found = vaglio.select(
        X,
        y,
        learners=list(_LEARNERS),
        strategy="cross-validation" if nested else strategy,
        outer_folds=5 if nested else None,
        n_iter=4,
        folds=5,
        seed=seed,
        progress=False,
    )
    X, y = world.draw(_HUGE, np.random.default_rng(10**9))
    return found.evaluation.accuracy, float(np.mean(found.best_estimator.predict(X) == y))


def _bias(world: World, n: int, strategy: str, seed: int) -> float:
    said, true = _selected(world, n, strategy, seed)
    return float(said) - true


def _covered(world: World, n: int, strategy: str, seed: int) -> float:
    said, true = _selected(world, n, strategy, seed)
    return float(true in said)


def _stopped(n: int, n_settings: int, seed: int) -> float:
    """Return whether a race of ten folds stops any of settings that are equally good."""
    rng = np.random.default_rng((seed, n, n_settings))
    right = (rng.random((n_settings, n)) < 0.8).astype(float)
    race = Race(None, range(10), None, None, [])  # type: ignore[arg-type]  # nothing is trained
    folds = np.array_split(np.arange(n), 10)
    for done in range(1, 10):
        rows = np.concatenate(folds[:done])
        trials = [Trial("", {}, np.zeros(done), np.zeros(done), 0.0, 0.0, row_scores=each[rows]) for each in right]
        race.trials = trials
        race.stop_those_behind(done)
        if any(trial.behind is not None for trial in race.trials):
            return 1.0
    return 0.0


_TOO_HIGH = {
    "zero": "scored on the training rows, which the result says",
    "quick": "the best of several learners on the test rows, which the result says",
    "standard": "parameters and learner are chosen on the test rows, which the result says",
}


def _strategies() -> list[Simulation]:
    made = []
    for world in (LEARNER_WORLDS[0], UNSEEN):
        for strategy in ("zero", "quick", "standard", "validation", "cross-validation", "nested"):
            name = f"strategy {strategy}, 200 rows, {world.name}"
            long = 40 if strategy == "nested" else 100
            why = _TOO_HIGH.get(strategy, "")
            made.append(Simulation(name, "bias", partial(_bias, world, 200, strategy), 0, long, why=why))
            if not why:
                made.append(Simulation(name, "coverage", partial(_covered, world, 200, strategy), 0, long))
    return made


SIMULATIONS = (
    *_strategies(),
    *(
        Simulation(
            f"a race stops one of {n_settings} equal settings, {n:,} rows",
            "false alarms",
            partial(_stopped, n, n_settings),
            short,
            1000,
        )
        for n, n_settings, short in ((60, 5, 0), (200, 5, 0), (200, 30, 30), (2000, 30, 0))
    ),
)
