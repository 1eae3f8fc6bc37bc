"""Are probabilities as often right as they say, and do bands of curves hold the curve?"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from sklearn.base import clone

import vaglio
from tools.honest.simulation import Simulation
from tools.honest.worlds import LEARNER_WORLDS, SCORED_WORLDS, UNSEEN, UNSEEN_SCORES, ScoredWorld, World
from vaglio.evaluation import evaluate
from vaglio.evaluation.metrics.curves import CalibrationCurve
from vaglio.evaluation.metrics.intervals import accuracy_of_folds
from vaglio.evaluation.selection.candidates import resolve_learners

__all__ = ["SIMULATIONS"]

# Rows of the test set that stands for the truth.
_HUGE = 10_000
# Training sets whose models say what a learner reaches.
_PILOTS = 60
_OVERLAP = "its rules overlap and count rows twice, so that one temperature is not enough"
_UNCALIBRATED = "the advice of an evaluation says so: `calibrate='temperature'`"
# Calibrated by default, and others.
_CALIBRATED = ("id3", "oblique", "adaboost", "cn2", "foil", "aq")
_OTHERS = (
    "c45", "cart", "ripper", "naive-bayes", "logistic", "knn", "bagging", "random-forest", "gradient-boosting",
    "additive",
)  # fmt: skip


def _error(world: World, learner: str, calibrate: str, seed: int) -> float:
    """Return how much larger the calibration error is than that of exactly right probabilities."""
    estimator = clone(resolve_learners([learner], seed=0)[0].estimator)
    if calibrate:
        estimator.set_params(calibrate=calibrate)
    fitted = estimator.fit(*world.draw(500, np.random.default_rng((seed, 8))))
    X, y = world.draw(_HUGE, np.random.default_rng(10**9))
    curve = evaluate(fitted, X, y).confidence_curve
    return float(curve.expected_error - curve.perfect_error)


@cache
def _curve(world: ScoredWorld) -> dict[int, float]:
    y, p = world.draw(400_000, np.random.default_rng(1))
    bins = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    return {k: float((y[bins == k] == "yes").mean()) for k in range(10) if (bins == k).any()}


def _band(world: ScoredWorld, n: int, seed: int) -> float:
    """Return the share of the bins whose interval holds the true share of the class."""
    y, p = world.draw(n, np.random.default_rng((seed, n)))
    true = _curve(world)
    curve = CalibrationCurve.from_scores(y == "yes", p)
    used = np.unique(np.searchsorted(np.linspace(0, 1, 11)[1:-1], p))
    return float(np.mean([low <= true[k] <= high for k, low, high in zip(used.tolist(), curve.low, curve.high)]))


@cache
def _reached(world: World, n: int) -> float:
    X, y = world.draw(_HUGE, np.random.default_rng(10**9))
    models = (vaglio.C45Classifier().fit(*world.draw(n, np.random.default_rng((k, n, 6)))) for k in range(_PILOTS))
    return float(np.mean([np.mean(model.predict(X) == y) for model in models]))


def _learning(world: World, share: float, seed: int) -> float:
    """Return whether the band of a learning curve holds the mean accuracy of models of so many rows."""
    from sklearn.model_selection import learning_curve

    X, y = world.draw(200, np.random.default_rng((seed, 7)))
    sizes, _, scores = learning_curve(
        vaglio.C45Classifier(), X, y, train_sizes=[share], cv=5, shuffle=True, random_state=0
    )
    return float(_reached(world, int(sizes[0])) in accuracy_of_folds(scores[0], n_train=160, n_test=40))


def _simulations() -> list[Simulation]:
    made: list[Simulation] = []
    for world in (LEARNER_WORLDS[0], UNSEEN):
        for learner in (*_CALIBRATED, *_OTHERS):
            for calibrate in ("",) if learner in _CALIBRATED else ("", "temperature"):
                made.append(
                    Simulation(
                        f"{learner}, {'calibrated' if calibrate else 'as by default'}, 500 rows, {world.name}",
                        "calibration error",
                        partial(_error, world, learner, calibrate),
                        0,
                        12,
                        why=_OVERLAP if learner == "cn2" else _UNCALIBRATED if learner in _OTHERS else "",
                    )
                )
        made += [
            Simulation(
                f"band of a learning curve, c45, {share:.0%} of 160 rows, {world.name}",
                "coverage",
                partial(_learning, world, share),
                0,
                200,
            )
            for share in (0.25, 1.0)
        ]
    made += [
        Simulation(
            f"bins of a calibration curve, {n} rows, {world.name}", "coverage", partial(_band, world, n), 60, 600
        )
        for world in (*SCORED_WORLDS, UNSEEN_SCORES)
        for n in (60, 1000)
    ]
    return made


SIMULATIONS = tuple(_simulations())
