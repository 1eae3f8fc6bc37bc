"""The updates of the perceptron, one after the other, computed again from the rule w ← w + r·(d − y)·x."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame
from vaglio.document.document import Page, Step
from vaglio.document.training import Training
from vaglio.learners.linear.estimators.perceptron import held_out_rows
from vaglio.learners.linear.estimators.perceptron_training import Penalty
from vaglio.plot.decision_region import line_ends
from vaglio.plot.plane import Marks

# Output, pass, row, w·x + b, y, d, and the weights after the update.
Update = tuple[int, int, int, float, float, float, np.ndarray]


def trace_perceptron(page: Page, training: Training) -> None:
    """Write every update, the final weights, and the decision for a row."""
    say, estimator, encoder = page.say, training.estimator, training.model.encoder
    page.section(say("The data"))
    page.text(
        say(
            "For each row, y = 1 if w·x + b > 0, else 0. If y differs from the target d, then w ← w + r·(d − "
            "y)·x and b ← b + r·(d − y), where r = {rate}. Only the updates are listed.",
            rate=say.fixed(estimator.eta0),
        )
    )
    _write_options(page, training)
    if not encoder.as_is:
        page.text(
            say(
                "Numbers are standardised, and every category becomes a column of 0 and 1. The weights belong to "
                "these columns."
            )
        )
    rows = encoder.transform(training.matrix)
    page.text(f"{', '.join(f'w{j} {name}' for j, name in enumerate(encoder.names, start=1))}.")
    wanted, spoken = targets(training)
    weights, updates = replay(training, rows, wanted)
    for output, label in enumerate(spoken):
        page.section(say("Updates (1 means {label})", label=label))
        mine = [update for update in updates if update[0] == output]
        numbers = [at for at, update in enumerate(updates, start=1) if update[0] == output]
        lines = [
            [str(epoch), str(i + 1), say.fixed(value), str(int(answer)), str(int(d)), *map(say.fixed, w)]
            for _, epoch, i, value, answer, d, w in mine
        ]
        head = [say("pass"), say("row"), "w·x + b", "y", "d", *(f"w{j + 1}" for j in range(rows.shape[1])), "b"]
        steps = [Step(at, (update[2],)) for at, update in zip(numbers, mine)]
        page.table(head, lines, most=training.most_steps, steps=steps)
    passes = len(estimator.history_)
    page.section(say("Result"))
    if not estimator.converged_:
        page.text(say("The perceptron did not converge in {n:,} {n:pass|passes}.", n=passes))
    elif estimator.validation_scores_ and estimator.history_[-1].mean_error:
        page.text(
            say("Training stopped after pass {n}: the accuracy on the held-out rows no longer improved.", n=passes)
        )
    else:
        page.text(
            say(
                "The perceptron converged in pass {n}: no more predictions were wrong than the tolerance allows.",
                n=passes,
            )
        )
    for output, label in enumerate(spoken):
        terms = " + ".join(f"{say.fixed(w)}·{name}" for w, name in zip(weights[output, :-1], encoder.names))
        page.formula(f"f({label}) = {terms} + {say.fixed(weights[output, -1])}".replace("+ −", "− "))
    page.facts |= {
        "updates": len(updates),
        "passes": passes,
        "converged": bool(estimator.converged_),
        "weights": weights.tolist(),
    }
    _decide(page, training, weights, spoken)


def _write_options(page: Page, training: Training) -> None:
    """Write what a penalty or held-out rows change in the rule."""
    estimator, say = training.estimator, page.say
    share, due = shrinkage(estimator)
    if share < 1 or due > 0:
        page.text(
            say(
                "At every row, misclassified or not, a penalty shrinks every weight except b: before the update "
                "by a share of {share}, after the update by {due} towards zero.",
                share=say.short(1 - share),
                due=say.short(due),
            )
        )
    held = held_out_rows(estimator, training.y)[1]
    if len(held):
        page.text(
            say(
                "These rows are held out and only decide when training stops: {rows}.",
                rows=", ".join(str(i + 1) for i in held.tolist()),
            )
        )


def shrinkage(estimator: Any) -> tuple[float, float]:
    """The factor of every weight at every row, and what the absolute penalty asks of it."""
    penalty = Penalty.of(estimator)
    if penalty is None:
        return 1.0, 0.0
    strength = estimator.eta0 * penalty.alpha
    return max(0.0, 1 - (1 - penalty.l1_ratio) * strength), penalty.l1_ratio * strength


def targets(training: Training) -> tuple[np.ndarray, list[str]]:
    """The target d of every row for each output, and the class of each output."""
    k = len(training.classes)
    if k == 2:
        return training.y[:, None].astype(float), training.classes[1:]
    return (training.y[:, None] == np.arange(k)).astype(float), training.classes


def replay(training: Training, rows: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, list[Update]]:
    """Pass over the rows as the learner did; return the weights (bias last) and every update."""
    estimator = training.estimator
    random = check_random_state(estimator.random_state)
    shape = (wanted.shape[1], rows.shape[1] + 1)
    weights = random.normal(scale=0.01, size=shape) if estimator.init == "random" else np.zeros(shape)
    learned = held_out_rows(estimator, training.y)[0]
    (share, due), owed, paid = shrinkage(estimator), 0.0, np.zeros((shape[0], rows.shape[1]))
    updates: list[Update] = []
    for epoch in range(1, len(estimator.history_) + 1):
        order = random.permutation(len(learned)) if estimator.shuffle else np.arange(len(learned))
        for i in learned[order].tolist():
            values = weights[:, :-1] @ rows[i] + weights[:, -1]
            weights[:, :-1] *= share
            wrong = np.flatnonzero(wanted[i] != (values > 0)).tolist()
            for output in wrong:
                answer = float(values[output] > 0)
                step = estimator.eta0 * (wanted[i, output] - answer) * training.weight[i]
                weights[output, :-1] += step * rows[i]
                weights[output, -1] += step * bool(estimator.fit_intercept)
            owed += due
            paid += _collect(weights[:, :-1], owed, paid) if due else 0.0
            for output in wrong:
                answer, after = float(values[output] > 0), weights[output].copy()
                updates.append((output, epoch, i, values[output], answer, wanted[i, output], after))
    return weights, updates


def _collect(weights: np.ndarray, owed: float, paid: np.ndarray) -> np.ndarray:
    """Let every weight pay what it owes, down to zero; return by how much each has moved."""
    before = weights.copy()
    weights[:] = np.where(before > 0, np.maximum(0, before - (owed + paid)), before)
    weights[:] = np.where(before < 0, np.minimum(0, before + (owed - paid)), weights)
    moved: np.ndarray = weights - before
    return moved


def _decide(page: Page, training: Training, weights: np.ndarray, spoken: list[str]) -> None:
    if training.row is None:
        return
    x = training.model.encoder.transform(training.row)[0]
    page.section(page.say("The row"))
    values = weights[:, :-1] @ x + weights[:, -1]
    for label, value in zip(spoken, values):
        page.formula(f"f({label}) = {page.say.fixed(value)}")
    best = int(values[0] > 0) if len(values) == 1 else int(np.argmax(values))
    page.text(page.say("Decision: {label}.", label=training.classes[best]))
    page.facts["decision"] = training.classes[best]


def animate_perceptron(context: AnimationContext) -> list[Frame]:
    """Make one picture per update, with a ring around the row that was wrong."""
    if context.plane is None:
        return []
    training, say = context.training, context.say
    rows = training.model.encoder.transform(training.matrix)
    wanted, _ = targets(training)
    weights, updates = replay(training, rows, wanted)
    theta = np.zeros_like(weights)
    frames = [frame_of_weights(context, say("Before the first update"), theta)]
    for number, (output, epoch, i, _, _, _, after) in enumerate(updates[: MAX_FRAMES - 1], start=1):
        theta = theta.copy()
        theta[output] = after
        frames.append(
            frame_of_weights(
                context,
                say("Update {n}: row {row} was misclassified in pass {epoch}", n=number, row=i + 1, epoch=epoch),
                theta,
                (i,),
            )
        )
    if len(updates) >= MAX_FRAMES:
        frames.append(frame_of_weights(context, say("After all {n:,} updates", n=len(updates)), weights))
    return frames


def frame_of_weights(context: AnimationContext, caption: str, theta: np.ndarray, rings: tuple[int, ...] = ()) -> Frame:
    """The regions and, of two classes, the line w·x + b = 0 for weights with b in the last place."""
    plane = context.plane
    assert plane is not None
    encoder = context.training.model.encoder
    coef, intercept = encoder.to_original_units(theta[:, :-1], theta[:, -1])
    values = encoder.with_products(plane.grid) @ coef.T + intercept
    codes = (values[:, 0] > 0).astype(int) if len(coef) == 1 else values.argmax(axis=1)
    lines: tuple[tuple[str, np.ndarray], ...] = ()
    if coef.shape == (1, 2) and coef.any():
        window = float(plane.x[0]), float(plane.x[-1]), float(plane.y[0]), float(plane.y[-1])
        lines = (("boundary", np.column_stack(line_ends(np.array([*coef[0], intercept[0]]), *window))),)
    return Frame(caption, Marks(codes.reshape(len(plane.y), len(plane.x)), lines, rings))
