"""k nearest neighbours: the distance to every training row, and the votes of the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import AnimationContext, Frame, regions_of
from vaglio.document.document import Page
from vaglio.document.notation import fixed, percent
from vaglio.document.training import Training
from vaglio.errors import InputError, NotSupportedError
from vaglio.plot.plane import Marks

# The numbers of neighbours that an animation shows.
_NUMBERS = (1, 3, 5, 9, 15, 25)


def trace_knn(page: Page, training: Training) -> None:
    """Write the distances from a row to the training rows, and the votes of the nearest."""
    say, model, estimator = page.say, training.model, training.estimator
    if training.row is None:
        raise InputError(
            "nearest-neighbours-need-row",
            "Nearest neighbours need a row to classify: give one (row=…, --row on the command line).",
        )
    if callable(model.metric) or callable(model.vote):
        raise NotSupportedError(
            "metric-vote-function-has",
            "A metric or vote that is a function has no formula to show: choose one by name.",
        )
    k = min(int(estimator.n_neighbors_), len(training.y))
    page.section(say("distances"))
    page.text(say("knn_rule", k=k))
    page.text(say(f"metric_{model.metric}"))
    scaled = [
        f"{feature.name}: {fixed(width)}"
        for feature, width in zip((training.features[j] for j in training.matrix.numeric_features), model.scale)
    ]
    if scaled and estimator.preprocess == "auto":
        page.text(say("knn_scaled", ranges=", ".join(scaled)))
    difference = differences(training)
    distance = distances(difference, model.metric, model.power, training)
    order = np.lexsort((np.arange(len(distance)), distance))
    names = [feature.name for feature in training.features]
    page.table(
        [say("col_row"), *names, say("class"), say("distance")],
        [
            [str(i + 1), *(training.value(j, i) for j in range(len(names))), training.classes[training.y[i]],
             fixed(distance[i])]
            for i in order
        ],
        chosen=range(k),
        most=max(k + 5, 20),  # all who vote and a few who do not
    )  # fmt: skip
    if model.metric == "euclidean":
        first = order[0]
        terms = " + ".join(f"{fixed(d)}²" for d in difference[first])
        page.formula(f"d(x, {say('col_row')} {first + 1}) = √({terms}) = {fixed(distance[first])}")
    _votes(page, training, order[:k], distance)


def differences(training: Training) -> np.ndarray:
    """Difference per column: of numbers, divided by the scale; 1 for different categories and missing values."""
    assert training.row is not None
    model, matrix, row = training.model, training.matrix, training.row
    out = np.empty((matrix.n_rows, len(matrix.features)))
    for j, feature in enumerate(matrix.features):
        at = matrix.position[j]
        if feature.is_nominal:
            same = (matrix.codes[:, at] == row.codes[0, at]) & (row.codes[0, at] >= 0)
            out[:, j] = np.where(same, 0.0, 1.0)
        else:
            gap = np.abs(matrix.numeric[:, at] - row.numeric[0, at]) / model.scale[at]
            out[:, j] = np.where(np.isnan(gap), 1.0, gap)
    return out


def distances(difference: np.ndarray, metric: str, power: float, training: Training) -> np.ndarray:
    """Combine the differences of the columns into one distance."""
    found: Any
    if metric == "manhattan":
        found = difference.sum(axis=1)
    elif metric == "chebyshev":
        found = difference.max(axis=1)
    elif metric == "hamming":
        found = (difference != 0).mean(axis=1)
    elif metric == "minkowski":
        found = (difference**power).sum(axis=1) ** (1 / power)
    elif metric == "cosine":
        assert training.row is not None
        stored = training.matrix.numeric / training.model.scale
        asked = training.row.numeric[0] / training.model.scale
        found = 1 - stored @ asked / (np.linalg.norm(stored, axis=1) * np.linalg.norm(asked))
    else:
        found = np.sqrt((difference**2).sum(axis=1))
    return np.asarray(found)


def _votes(page: Page, training: Training, nearest: np.ndarray, distance: np.ndarray) -> None:
    say, how = page.say, training.model.vote
    page.section(say("votes"))
    page.text(say(f"vote_{how}"))
    d = distance[nearest]
    if how == "uniform":
        weight = np.ones(len(d))
    elif (d == 0).any():
        weight = (d == 0).astype(float)
    else:
        weight = 1 / d if how == "distance" else 1 / d**2
    weight = weight * training.weight[nearest]
    sums = np.bincount(training.y[nearest], weight, minlength=len(training.classes))
    rows = [
        [str(i + 1), training.classes[training.y[i]], fixed(distance[i]), fixed(w)] for i, w in zip(nearest, weight)
    ]
    page.table([say("col_row"), say("class"), say("distance"), say("col_vote")], rows)
    best = int(np.argmax(sums))
    shown = [[label, fixed(value), percent(value / sums.sum())] for label, value in zip(training.classes, sums)]
    page.table([say("class"), say("col_votes"), say("col_share")], shown, chosen=[best])
    page.text(say("decision_is", label=training.classes[best], share=percent(sums[best] / sums.sum())))
    page.facts |= {
        "nearest": [int(i) + 1 for i in nearest],
        "distances": distance[nearest].tolist(),
        "votes": dict(zip(training.classes, sums.tolist())),
        "decision": training.classes[best],
    }


def film_neighbors(scene: AnimationContext) -> list[Frame]:
    """Make one picture per K, with lines from the row to its neighbours."""
    plane, estimator = scene.plane, scene.estimator
    if plane is None:
        return []
    own = {estimator.n_neighbors} if isinstance(estimator.n_neighbors, int) else set()
    shots = []
    for k in sorted(k for k in {*_NUMBERS, *own} if k <= len(plane.points)):
        fitted = clone(estimator).set_params(n_neighbors=k).fit(scene.training.source, scene.training.labels)
        near: tuple[int, ...] = ()
        if plane.row is not None:
            row = scene.like_source(np.array([plane.row]))
            near = tuple(fitted.kneighbors(row, return_distance=False)[0].tolist())
        links = tuple(("link", np.array([plane.row, plane.points[i]])) for i in near)
        shots.append(Frame(f"K = {k}", Marks(regions_of(scene, fitted), links, near)))
    return shots
