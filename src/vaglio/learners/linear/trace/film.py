"""The line of a perceptron after every update, and that of logistic regression after every step."""

from __future__ import annotations

import numpy as np

from vaglio.document.animation import MAX_SHOTS, Scene, Shot
from vaglio.learners.linear.trace.logistic import has_newton_steps, loss_of, newton
from vaglio.learners.linear.trace.perceptron import replay, targets
from vaglio.plot.perceptron_path import line_ends
from vaglio.plot.plane import Marks


def film_perceptron(scene: Scene) -> list[Shot]:
    """Make one picture per update, with a ring around the row that was wrong."""
    if scene.plane is None:
        return []
    training, say = scene.training, scene.say
    rows = training.model.encoder.transform(training.matrix)
    wanted, _ = targets(training)
    weights, updates = replay(training, rows, wanted)
    theta = np.zeros_like(weights)
    shots = [_shot(scene, say("film_start"), theta)]
    for number, (output, epoch, i, _, _, _, after) in enumerate(updates[: MAX_SHOTS - 1], start=1):
        theta = theta.copy()
        theta[output] = after
        shots.append(_shot(scene, say("film_update", n=number, row=i + 1, epoch=epoch), theta, (i,)))
    if len(updates) >= MAX_SHOTS:
        shots.append(_shot(scene, say("film_last_update", n=len(updates)), weights))
    return shots


def film_logistic(scene: Scene) -> list[Shot]:
    """Make one picture per step of Newton's method."""
    if scene.plane is None or not has_newton_steps(scene.estimator):
        return []
    path = newton(loss_of(scene.training), MAX_SHOTS)
    return [
        _shot(scene, scene.say("film_step", n=number, loss=f"{value:.4g}"), theta)
        for number, (theta, value, _) in enumerate(path)
    ]


def _shot(scene: Scene, caption: str, theta: np.ndarray, rings: tuple[int, ...] = ()) -> Shot:
    """The regions and, of two classes, the line w·x + b = 0 for weights with b in the last place."""
    plane = scene.plane
    assert plane is not None
    encoder = scene.training.model.encoder
    coef, intercept = encoder.to_original_units(theta[:, :-1], theta[:, -1])
    values = plane.grid @ coef.T + intercept
    codes = (values[:, 0] > 0).astype(int) if len(coef) == 1 else values.argmax(axis=1)
    lines: tuple[tuple[str, np.ndarray], ...] = ()
    if len(coef) == 1 and coef.any():
        window = float(plane.x[0]), float(plane.x[-1]), float(plane.y[0]), float(plane.y[-1])
        lines = (("boundary", np.column_stack(line_ends(np.array([*coef[0], intercept[0]]), *window))),)
    return Shot(caption, Marks(codes.reshape(len(plane.y), len(plane.x)), lines, rings))
