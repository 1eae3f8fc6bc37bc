"""Worlds whose truth is known: each draws as many rows as wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

__all__ = ["LEARNER_WORLDS", "SCORED_WORLDS", "UNSEEN", "UNSEEN_SCORES", "ScoredWorld", "World", "true_figures"]


@dataclass(frozen=True)
class World:
    """Rows of normal columns; the class depends on the first two.

    Attributes
    ----------
    name : str
    draw : callable
        From a number of rows and a generator to the columns and the classes.
    """

    name: str
    draw: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def _linear(bound: float, noise: float) -> Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 4))
        positive = X[:, 0] + X[:, 1] + noise * rng.normal(size=n) > bound
        return X, np.where(positive, "yes", "no")

    return draw


def _three(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = rng.choice(["high", "low", "middle"], size=n, p=[0.2, 0.3, 0.5])
    X = rng.normal(size=(n, 4))
    X[:, 0] += np.select([y == "high", y == "low"], [1.8, -1.8])
    return X, y


def _interaction(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Skewed, discrete and noisy columns; two of them decide together, and one label in twenty is wrong."""
    X = np.column_stack(
        [rng.lognormal(0, 1, n), rng.poisson(2, n), rng.integers(0, 3, n), rng.standard_t(2, n), rng.exponential(1, n)]
    )
    positive = np.where(X[:, 2] == 0, X[:, 0] > 1.5, X[:, 1] > 2)
    return X, np.where(positive ^ (rng.random(n) < 0.05), "yes", "no")


LEARNER_WORLDS = (
    World("balanced classes", _linear(0.0, 1.0)),
    World("one row in five positive", _linear(1.5, 1.0)),
    World("three classes", _three),
)
# No method was chosen on this one.
UNSEEN = World("unseen: skewed columns, an interaction", _interaction)


@dataclass(frozen=True)
class ScoredWorld:
    """A model that is fixed: rows with their class and the probabilities that it predicts.

    Attributes
    ----------
    name : str
    share : float
        Share of the positive class.
    apart : float
        Distance of the classes in standard deviations of the score.
    leaves : callable, optional
        What the model makes of the right probabilities; by default nothing.
    """

    name: str
    share: float
    apart: float
    leaves: Callable[[np.ndarray], np.ndarray] | None = None

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes and the probabilities of the positive class; both classes occur."""
        while True:
            positive = rng.random(n) < self.share
            if 0 < positive.sum() < n:
                break
        x = rng.normal(size=n) + self.apart * (positive - 0.5)
        odds = np.exp(self.apart * x) * self.share / (1 - self.share)
        p = odds / (1 + odds)
        return np.where(positive, "yes", "no"), p if self.leaves is None else self.leaves(p)


SCORED_WORLDS = (
    ScoredWorld("area .86", 0.5, 1.5),
    ScoredWorld("area .983", 0.5, 3.0),
    ScoredWorld("one row in five positive, area .86", 0.2, 1.5),
)


def _seven_leaves(p: np.ndarray) -> np.ndarray:
    """Few distinct probabilities, too near to 0 and 1, as of a tree."""
    sure = np.clip(0.5 + 1.3 * (p - 0.5), 0.02, 0.98)
    return np.asarray((sure * 6).round() / 6 * 0.96 + 0.02)


# No method was chosen on this one.
UNSEEN_SCORES = ScoredWorld("unseen: seven leaves that are too sure", 0.35, 2.0, _seven_leaves)

# Rows of the test set that stands for the truth.
_HUGE = 20_000


def true_figures(model: Any, world: World, figures: Callable[[Any], dict[str, Any]], seed: int) -> dict[str, float]:
    """Return the figures of a model on a huge test set.

    Parameters
    ----------
    model : fitted classifier
    world : World
    figures : callable
        From an evaluation to its figures by name.
    seed : int
    """
    from vaglio.evaluation import evaluate

    X, y = _huge(world.name)
    return {name: float(value) for name, value in figures(evaluate(model, X, y, seed=seed)).items()}


@cache
def _huge(name: str) -> tuple[np.ndarray, np.ndarray]:
    world = next(world for world in (*LEARNER_WORLDS, UNSEEN) if world.name == name)
    return world.draw(_HUGE, np.random.default_rng(10**9))
