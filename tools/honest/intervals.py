"""Do the intervals of figures hold the truth as often as they say: of a fixed model, of folds, of a comparison?"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.base import clone

from tools.honest.simulation import Simulation
from tools.honest.worlds import LEARNER_WORLDS, SCORED_WORLDS, UNSEEN, UNSEEN_SCORES, ScoredWorld, World, true_figures

__all__ = ["FIGURES", "SIMULATIONS", "figures", "hits"]

FIGURES = (
    "accuracy",
    "recall",
    "precision",
    "f1",
    "macro_recall",
    "macro_f1",
    "kappa",
    "matthews",
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
    "cost",
)

_COST = {("yes", "no"): 5.0, ("no", "yes"): 1.0}
# Tables whose models, each tested on a huge test set, say how good a learner is at so many rows.
_PILOTS = 100
# Rows that stand for the truth of a world of scores.
_MANY = 400_000


def figures(evaluation: Any) -> dict[str, Any]:
    """Return every figure that an evaluation prints, by name."""
    known = ((name, evaluation.estimate(name)) for name in FIGURES)
    return {name: value for name, value in known if value is not None}


def hits(found: dict[str, Any], true: dict[str, float]) -> dict[str, float]:
    """Say for each figure with an interval whether it holds the truth."""
    return {
        name: float(getattr(value, "low", math.nan) <= true[name] <= getattr(value, "high", math.nan))
        for name, value in found.items()
        if name in true and math.isfinite(getattr(value, "low", math.nan))
    }


# ---- one model, rows that are held out ---------------------------------------------------------------


def _scored(world: ScoredWorld, n: int, rng: np.random.Generator) -> Any:
    from vaglio.evaluation import Evaluation

    y, p = world.draw(n, rng)
    cost = _COST if world.share < 0.5 else None
    predictions = np.where(p >= 0.5, "yes", "no")
    return Evaluation.from_predictions(
        y, predictions, y_score=np.column_stack([1 - p, p]), labels=["no", "yes"], cost=cost
    )


@cache
def _truth_of_scores(world: ScoredWorld) -> dict[str, float]:
    return {name: float(value) for name, value in figures(_scored(world, _MANY, np.random.default_rng(1))).items()}


def _held_out(world: ScoredWorld, n: int, seed: int) -> dict[str, float]:
    return hits(figures(_scored(world, n, np.random.default_rng((seed, n)))), _truth_of_scores(world))


# ---- one learner, folds -------------------------------------------------------------------------------


def _learner(name: str) -> Any:
    from vaglio.evaluation.selection.candidates import resolve_learners

    return resolve_learners([name], seed=0)[0].estimator


def _drawn(world: World, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return world.draw(n, np.random.default_rng((seed, n)))


@cache
def _truth_of_learner(learner: str, world: World, n: int) -> dict[str, float]:
    """The mean of the figures of models of tables like this one."""
    found = []
    for pilot in range(_PILOTS):
        X, y = world.draw(n, np.random.default_rng((pilot, n, 77)))
        found.append(true_figures(clone(_learner(learner)).fit(X, y), world, figures, 0))
    # A figure that is undefined for a model, such as a precision without predictions, is left out of its mean.
    return {name: float(np.nanmean([each.get(name, np.nan) for each in found])) for name in FIGURES if name in found[0]}


@cache
def _of_folds(learner: str, world: World, n: int, seed: int) -> dict[str, Any]:
    from vaglio.evaluation import evaluate_by_folds

    return figures(evaluate_by_folds(_learner(learner), *_drawn(world, n, seed)))


def _folds(learner: str, world: World, n: int, seed: int) -> dict[str, float]:
    return hits(_of_folds(learner, world, n, seed), _truth_of_learner(learner, world, n))


def _folds_bias(learner: str, world: World, n: int, seed: int) -> dict[str, float]:
    found = _of_folds(learner, world, n, seed)
    true = _truth_of_learner(learner, world, n)
    return {name: float(found[name]) - true[name] for name in ("accuracy", "roc_auc") if name in found}


def _compared(world: World, n: int, seed: int) -> dict[str, float]:
    from vaglio.evaluation import compare

    learners = ("c45", "naive-bayes")
    found = compare(*_drawn(world, n, seed), learners=list(learners), noise=(), missing=(), sizes=(), seed=seed)
    return {
        report.learner: hits({"accuracy": report.score}, _truth_of_learner(report.learner, world, n))["accuracy"]
        for report in found.reports
    }


def _simulations() -> list[Simulation]:
    made = [
        Simulation(
            f"hold-out set, {n} rows, {world.name}", "coverage", partial(_held_out, world, n), short=150, long=600
        )
        for world in (*SCORED_WORLDS, UNSEEN_SCORES)
        for n in (20, 60, 200, 1000)
    ]
    for learner, n, long in (("c45", 60, 300), ("c45", 200, 300), ("naive-bayes", 60, 300), ("logistic", 200, 200)):
        for world in (*LEARNER_WORLDS, UNSEEN):
            name = f"10 folds, {learner}, {n} rows, {world.name}"
            made += [
                Simulation(name, "coverage", partial(_folds, learner, world, n), short=0, long=long),
                Simulation(name, "bias", partial(_folds_bias, learner, world, n), short=0, long=long),
            ]
    made += [
        Simulation(f"compare, {n} rows, {world.name}", "coverage", partial(_compared, world, n), short=0, long=200)
        for world in LEARNER_WORLDS[:2]
        for n in (60, 200)
    ]
    return made


SIMULATIONS = tuple(_simulations())
