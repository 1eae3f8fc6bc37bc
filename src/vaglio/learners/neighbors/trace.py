"""k nearest neighbours: the distance to every training row, and the votes, or the mean, of the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import AnimationContext, Frame, marks_of
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.errors import InputError, NotSupportedError
from vaglio.messages.message import Option, text

# The numbers of neighbours that an animation shows.
_NUMBERS = (1, 3, 5, 9, 15, 25)
_METRICS = {
    "euclidean": text(
        "Euclidean distance: the square root of the sum of squared differences. Different categories and missing "
        "values count 1."
    ),
    "manhattan": text(
        "Manhattan distance: the sum of the differences. Different categories and missing values count 1."
    ),
    "chebyshev": text("Chebyshev distance: the largest difference. Different categories and missing values count 1."),
    "minkowski": text("Minkowski distance: a root of the sum of powers of the differences."),
    "hamming": text("Hamming distance: the share of columns that differ."),
    "cosine": text("Cosine distance: one minus the cosine of the angle."),
}
_VOTES = {
    "uniform": text("Each vote counts 1."),
    "distance": text("A vote counts 1/d. A row at distance 0 decides alone."),
    "squared_distance": text("A vote counts 1/d². A row at distance 0 decides alone."),
}
_WEIGHTS = {
    "uniform": text("Each row weighs 1."),
    "distance": text("A row weighs 1/d. A row at distance 0 decides alone."),
    "squared_distance": text("A row weighs 1/d². A row at distance 0 decides alone."),
}


def trace_knn(page: Page, training: Training) -> None:
    """Write the distances from a row to the training rows, and the votes or the mean of the nearest."""
    say, model, estimator = page.say, training.model, training.estimator
    if training.row is None:
        raise InputError(
            "no-row-to-classify",
            "The trace of nearest neighbours needs a row to classify. Give one with {row}.",
            row=Option("row"),
        )
    if callable(model.metric) or callable(model.vote):
        raise NotSupportedError(
            "no-formula",
            "A metric or vote given as a function has no formula to show. Choose one by name.",
        )
    k = min(int(estimator.n_neighbors_), len(training.y))
    page.section(say("Distances"))
    page.text(
        say("The prediction is the mean of the {k} nearest training rows. Ties in distance go to the earlier row.", k=k)
        if training.is_numeric
        else say("The {k} nearest training rows vote. Ties in distance go to the earlier row.", k=k)
    )
    page.text(say.text(_METRICS[model.metric]))
    scaled = [
        f"{feature.name}: {say.fixed(width)}"
        for feature, width in zip((training.features[j] for j in training.matrix.numeric_features), model.scale)
    ]
    if scaled and estimator.preprocess == "auto":
        page.text(
            say(
                "Differences between numbers are divided by the typical difference of two rows in the column, √2 "
                "times the standard deviation ({ranges}).",
                ranges=say.series(scaled),
            )
        )
    difference = differences(training)
    distance = distances(difference, model.metric, model.power, training)
    order = np.lexsort((np.arange(len(distance)), distance))
    page.about_rows(order[:k])
    names = [feature.name for feature in training.features]
    page.table(
        [say("row"), *names, "y" if training.is_numeric else say("class"), say("distance")],
        [
            [str(i + 1), *(training.value(say, j, i) for j in range(len(names))), training.target_text(say, i),
             say.fixed(distance[i])]
            for i in order
        ],
        chosen=range(k),
        most=max(k + 5, 20),  # all who vote and a few who do not
    )  # fmt: skip
    if model.metric == "euclidean":
        first = order[0]
        terms = " + ".join(f"{say.fixed(d)}²" for d in difference[first])
        page.formula(f"d(x, {say('row')} {first + 1}) = √({terms}) = {say.fixed(distance[first])}")
    (_mean if training.is_numeric else _votes)(page, training, order[:k], distance)


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
    page.section(say("Votes"))
    page.about_rows(nearest)
    page.text(say.text(_VOTES[how]))
    weight = _weights(training, nearest, distance)
    sums = np.bincount(training.y[nearest], weight, minlength=len(training.classes))
    rows = [
        [str(i + 1), training.classes[training.y[i]], say.fixed(distance[i]), say.fixed(w)]
        for i, w in zip(nearest, weight)
    ]
    page.table([say("row"), say("class"), say("distance"), say("vote")], rows)
    best = int(np.argmax(sums))
    shown = [[label, say.fixed(value), say.percent(value / sums.sum())] for label, value in zip(training.classes, sums)]
    page.table([say("class"), say("votes"), say("share")], shown, chosen=[best])
    page.text(
        say("Decision: {label} ({share}).", label=training.classes[best], share=say.percent(sums[best] / sums.sum()))
    )
    page.facts |= {
        "nearest": [int(i) + 1 for i in nearest],
        "distances": distance[nearest].tolist(),
        "votes": dict(zip(training.classes, sums.tolist())),
        "decision": training.classes[best],
    }


def _weights(training: Training, nearest: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """How much each of the nearest rows counts."""
    d, how = distance[nearest], training.model.vote
    if how == "uniform":
        weight = np.ones(len(d))
    elif (d == 0).any():
        weight = (d == 0).astype(float)
    else:
        weight = 1 / d if how == "distance" else 1 / d**2
    return np.asarray(weight * training.weight[nearest])


def _mean(page: Page, training: Training, nearest: np.ndarray, distance: np.ndarray) -> None:
    """Write the weighted mean of the numbers of the nearest rows."""
    say, how = page.say, training.model.vote
    page.section(say("The mean"))
    page.text(say.text(_WEIGHTS[how]))
    y, weight = training.y[nearest], _weights(training, nearest, distance)
    rows = [
        [str(i + 1), say.short(number), say.fixed(distance[i]), say.fixed(w), say.fixed(w * number)]
        for i, number, w in zip(nearest, y.tolist(), weight.tolist())
    ]
    rows.append(["Σ", "", "", say.fixed(float(weight.sum())), say.fixed(float(weight @ y))])
    page.table([say("row"), "y", say("distance"), "w", "w·y"], rows, chosen=[len(rows) - 1])
    predicted = float(weight @ y / weight.sum())
    above, below = say.fixed(float(weight @ y)), say.fixed(float(weight.sum()))
    page.formula(f"ŷ = Σ w·y / Σ w = {above} / {below} = {say.short(float(f'{predicted:.10g}'))}")
    page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
    page.facts |= {
        "nearest": [int(i) + 1 for i in nearest],
        "distances": distance[nearest].tolist(),
        "weights": weight.tolist(),
        "prediction": predicted,
    }


def animate_neighbors(context: AnimationContext) -> list[Frame]:
    """Make one picture per K, with lines from the row to its neighbours."""
    plane, estimator = context.plane, context.estimator
    if plane is None:
        return []
    own = {estimator.n_neighbors} if isinstance(estimator.n_neighbors, int) else set()
    frames = []
    for k in sorted(k for k in {*_NUMBERS, *own} if k <= len(plane.points)):
        fitted = clone(estimator).set_params(n_neighbors=k).fit(context.training.source, context.training.labels)
        near: tuple[int, ...] = ()
        if plane.row is not None:
            row = context.like_source(np.array([plane.row[:1] if context.is_curve else plane.row]))
            near = tuple(fitted.kneighbors(row, return_distance=False)[0].tolist())
        links = tuple(("link", np.array([plane.row, plane.points[i]])) for i in near)
        frames.append(Frame(f"K = {k}", marks_of(context, fitted, lines=links, rings=near)))
    return frames
