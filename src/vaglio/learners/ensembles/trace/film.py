"""The regions of an ensemble after each round or member; rows that boosting weighs more are larger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from vaglio.learners.film import Scene, Shot, as_regions, films
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.tracer import MAX_STEPS
from vaglio.plot.plane import Marks


@films.register("adaboost")
def film_adaboost(scene: Scene) -> list[Shot]:
    """Make one picture per round; the size of a row is its weight in the next round."""
    if scene.plane is None:
        return []
    estimator = scene.estimator
    grid = scene.like_source(scene.plane.grid)
    rows = [np.asarray(one.predict(scene.training.source)) for one in estimator.estimators_[:MAX_STEPS]]
    weights = _boosted(rows, np.asarray(scene.training.labels), estimator.estimator_weights_, scene.training.weight)
    return _rounds(scene, estimator.staged_predict(grid), weights)


@films.register("gradient-boosting")
def film_gradient_boosting(scene: Scene) -> list[Shot]:
    """Make one picture per round."""
    if scene.plane is None:
        return []
    classes = np.asarray(scene.estimator.classes_)
    staged = scene.estimator.staged_predict_proba(scene.like_source(scene.plane.grid))
    return _rounds(scene, (classes[shares.argmax(axis=1)] for shares in staged), None)


@films.register("bagging", "random-forest")
def film_members(scene: Scene) -> list[Shot]:
    """Make one picture per member: the vote of all up to it."""
    if scene.plane is None:
        return []
    classes = np.asarray(scene.estimator.classes_)
    votes = np.zeros((len(scene.plane.grid), len(classes)))
    shots = []
    for number, vote in enumerate(islice(_votes(scene), MAX_STEPS), start=1):
        votes += vote
        regions = as_regions(scene, classes[votes.argmax(axis=1)])
        shots.append(Shot(scene.say("film_members", n=number), Marks(regions)))
    return shots


def _votes(scene: Scene) -> Iterator[np.ndarray]:
    """What each member says about the points of the grid; the trees of a forest say shares."""
    assert scene.plane is not None
    grid, classes = scene.like_source(scene.plane.grid), np.asarray(scene.estimator.classes_)
    for member in scene.estimator.estimators_:
        if isinstance(scene.estimator.fitted_.model, Forest):
            yield member.predict_proba(grid)
        else:
            yield np.asarray(member.predict(grid))[:, None] == classes


def _rounds(scene: Scene, staged: Iterable[np.ndarray], weights: Iterator[np.ndarray] | None) -> list[Shot]:
    shots = []
    for number, predicted in enumerate(islice(staged, MAX_STEPS), start=1):
        size = None if weights is None else next(weights, None)
        shots.append(Shot(scene.say("film_rounds", n=number), Marks(as_regions(scene, predicted), weights=size)))
    return shots


def _boosted(
    predicted: list[np.ndarray], labels: np.ndarray, alphas: np.ndarray, weight: np.ndarray
) -> Iterator[np.ndarray]:
    """The weights of the rows after each round: w·exp(α) where it was wrong, w·exp(−α) elsewhere, renormalised."""
    current = weight / weight.sum()
    for one, alpha in zip(predicted, alphas):
        current = current * np.exp(np.where(one != labels, alpha, -alpha))
        current = current / current.sum()
        yield current
