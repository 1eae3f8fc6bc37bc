"""Logistic regression: Newton's steps computed again from the definition of the loss, and the odds of a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.utils import check_random_state

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame
from vaglio.document.document import Page, Step
from vaglio.document.training import Training
from vaglio.learners.linear.trace.perceptron import frame_of_weights

# Columns of weights in the table of steps: more do not fit the width of a page.
_MOST_WEIGHTS = 12
# Rows of a batch that are listed by number.
_MOST_ROWS = 30
# Newton's method stops when the gradient per row is below this: it gains no more digits afterwards.
_SMALL = 1e-8


@dataclass(frozen=True)
class Loss:
    """Σ −ln P(yᵢ|xᵢ) + ‖w‖²/(2C) with gradient and curvature, as a function of θ = (w, b) for every output.

    With two classes there is one output, that of the second class: the softmax of (0, z) is the logistic function.
    """

    rows: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    strength: float
    outputs: int
    intercept: bool

    def _logits(self, theta: np.ndarray) -> np.ndarray:
        z = self.rows @ theta.T
        return np.column_stack([np.zeros(len(z)), z]) if self.outputs == 1 else z

    def value(self, theta: np.ndarray) -> float:
        """The loss itself."""
        log_p = log_softmax(self._logits(theta), axis=1)[np.arange(len(self.y)), self.y]
        return float(-(self.weight @ log_p) + 0.5 * self.strength * (theta[:, :-1] ** 2).sum())

    def probabilities(self, theta: np.ndarray) -> np.ndarray:
        """P(c|xᵢ) for every output."""
        p: np.ndarray = softmax(self._logits(theta), axis=1)
        return p[:, 1:] if self.outputs == 1 else p

    def wanted(self) -> np.ndarray:
        """d: 1 for rows of the class, 0 for others, for every output."""
        k = 2 if self.outputs == 1 else self.outputs
        d: np.ndarray = (self.y[:, None] == np.arange(k)).astype(float)
        return d[:, 1:] if self.outputs == 1 else d

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """The derivative of the loss by θ."""
        apart = (self.probabilities(theta) - self.wanted()) * self.weight[:, None]
        slope: np.ndarray = apart.T @ self.rows
        slope[:, :-1] += self.strength * theta[:, :-1]
        if not self.intercept:
            slope[:, -1] = 0.0
        return slope

    def step(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """H⁻¹·g by the pseudo-inverse: all outputs of a softmax may shift together, so H can be singular."""
        p, width = self.probabilities(theta), self.rows.shape[1]
        curvature = np.zeros((self.outputs, width, self.outputs, width))
        for a in range(self.outputs):
            for b in range(self.outputs):
                share = self.weight * p[:, a] * ((a == b) - p[:, b])
                curvature[a, :, b, :] = self.rows.T @ (self.rows * share[:, None])
        flat = curvature.reshape(self.outputs * width, -1)
        penalised = np.ones((self.outputs, width))
        penalised[:, -1] = 0.0
        flat[np.diag_indices_from(flat)] += self.strength * penalised.ravel()
        step: np.ndarray = np.linalg.pinv(flat, hermitian=True) @ gradient.ravel()
        return step.reshape(gradient.shape)


def trace_logistic(page: Page, training: Training) -> None:
    """Write the loss, the steps and the weights, then the odds of a row."""
    say, estimator, model = page.say, training.estimator, training.model
    page.section(say("The data"))
    page.text(
        say(
            "The log-odds of the second class are a linear function of the columns. The weights make the "
            "classes of the training rows as likely as possible."
        )
        if len(training.classes) == 2
        else say(
            "Each class has a linear function of the columns. The weights make the classes of the training "
            "rows as likely as possible."
        )
    )
    spoken = training.classes[1:] if len(training.classes) == 2 else training.classes
    page.formula("P(c|x) = 1/(1 + exp(−(b + w·x)))" if len(spoken) == 1 else "P(c|x) = exp(b + w·x) / Σ exp(b + w·x)")
    penalised = estimator._strength() > 0
    penalty = f" + ‖w‖²/(2·{say.fixed(estimator.C)})" if penalised else ""
    page.formula(f"L = −Σ ln P(yᵢ|xᵢ){penalty}")
    if not model.encoder.as_is:
        page.text(
            say(
                "Numbers are standardised, and every category becomes a column of 0 and 1. The weights belong to "
                "these columns."
            )
        )
    page.text(f"{', '.join(f'w{j} {name}' for j, name in enumerate(model.encoder.names, start=1))}.")
    if has_newton_steps(estimator):
        _newton(page, training, spoken)
    elif estimator.solver == "minibatch":
        _descent(page, training, spoken)
    else:
        page.text(say("With an L1 penalty there are many small steps: only the result is shown."))
    _result(page, training, spoken)
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
    else:
        _row(page, training, spoken)


def has_newton_steps(estimator: Any) -> bool:
    """Whether Newton's method finds the weights of the learner: not with an absolute penalty, nor in mini-batches."""
    return not (estimator._strength() > 0 and estimator._absolute_share() > 0) and estimator.solver != "minibatch"


def loss_of(training: Training) -> Loss:
    """The loss the learner minimised, on the encoded rows with a column of ones for b."""
    encoded = np.asarray(training.model.encoder.transform(training.matrix))
    rows = np.column_stack([encoded, np.ones(len(encoded))])
    outputs = len(training.model.intercept)
    estimator = training.estimator
    return Loss(rows, training.y, training.weight, estimator._strength(), outputs, bool(estimator.fit_intercept))


def newton(loss: Loss, most: int) -> list[tuple[np.ndarray, float, np.ndarray]]:
    """θ, loss and gradient at the start and after each step; a step that does not lower the loss is halved."""
    theta = np.zeros((loss.outputs, loss.rows.shape[1]))
    path = [(theta, loss.value(theta), loss.gradient(theta))]
    while len(path) <= most and np.abs(path[-1][2]).max() > _SMALL * max(1.0, loss.weight.sum()):
        theta, value, gradient = path[-1]
        step, length = loss.step(theta, gradient), 1.0
        while length > 1e-6 and loss.value(theta - length * step) > value:
            length /= 2
        theta = theta - length * step
        path.append((theta, loss.value(theta), loss.gradient(theta)))
    return path


def _newton(page: Page, training: Training, spoken: list[str]) -> None:
    say, loss = page.say, loss_of(training)
    page.section(say("Newton's method"))
    page.text(
        say(
            "Starting from weights of 0, each step minimises the quadratic approximation of the loss: θ ← θ −"
            " H⁻¹·g, where θ = (w, b) and d = 1 for rows of the class, 0 for others. A step that would "
            "increase the loss is halved."
        )
    )
    curve = " + 1/C" if loss.strength else ""
    page.formula(f"g = Σ (Pᵢ − dᵢ)·xᵢ{' + w/C' if loss.strength else ''}")
    page.formula(f"H = Σ Pᵢ·(1 − Pᵢ)·xᵢ·xᵢᵀ{curve}")
    path = newton(loss, training.most_steps)
    if len(spoken) == 1 and loss.intercept and (training.weight == 1).all():
        n, positive = len(training.y), int((training.y == 1).sum())
        page.text(say("At the start every P({label}|x) is ½:", label=spoken[0]))
        page.formula(f"g(b) = Σ (Pᵢ − dᵢ) = {n}·½ − {positive} = {say.fixed(n / 2 - positive)}")
    for output, label in enumerate(spoken):
        shown = min(loss.rows.shape[1] - 1, _MOST_WEIGHTS)
        lines = []
        for k, (theta, value, gradient) in enumerate(path):
            lines.append([str(k), say.fixed(value), say.fixed(float(np.linalg.norm(gradient)))])
            lines[-1] += [*map(say.fixed, theta[output, :shown]), say.fixed(theta[output, -1])]
        head = [say("step"), "L", "‖g‖", *(f"w{j + 1}" for j in range(shown)), "b"]
        caption = say("weights of {label}", label=label) if len(spoken) > 1 else ""
        page.table(head, lines, caption, steps=[Step(k) for k in range(len(path))])
    page.text(
        say("After {n:,} {n:step|steps} the gradient is almost 0: this is the minimum.", n=len(path) - 1)
        if np.abs(path[-1][2]).max() <= 1e-3
        else say("After {n:,} {n:step|steps} the loss is still decreasing.", n=len(path) - 1)
    )
    page.facts |= {"losses": [value for _, value, _ in path], "weights": path[-1][0].tolist()}


def gradient_steps(training: Training, most: int) -> Iterator[tuple[int, np.ndarray, float, np.ndarray, np.ndarray]]:
    """Repeat the first steps of the learner: pass, rows of the batch, rate, mean gradient, and θ after the step."""
    estimator, loss = training.estimator, loss_of(training)
    random, schedule = check_random_state(estimator.random_state), estimator._schedule()
    theta, total, step = np.zeros((loss.outputs, loss.rows.shape[1])), float(loss.weight.sum()), 0
    share, n = loss.strength / total, len(loss.y)
    for epoch in range(1, int(estimator.n_iter_) + 1):
        order = random.permutation(n)
        for first in range(0, n, estimator.batch_size):
            batch = order[first : first + estimator.batch_size]
            part = replace(loss, rows=loss.rows[batch], y=loss.y[batch], weight=loss.weight[batch], strength=0.0)
            size = float(part.weight.sum())
            gradient = part.gradient(theta) / size
            gradient[:, :-1] += share * (1 - estimator._absolute_share()) * theta[:, :-1]
            step += 1
            rate = schedule.rate(step)
            theta = theta - rate * gradient
            shrunk = rate * share * estimator._absolute_share()
            theta[:, :-1] = np.sign(theta[:, :-1]) * np.maximum(np.abs(theta[:, :-1]) - shrunk, 0.0)
            yield epoch, batch, rate, gradient, theta
            if step == most:
                return


def _descent(page: Page, training: Training, spoken: list[str]) -> None:
    """Write the steps along the gradient, on all rows or on batches of them."""
    say, loss, estimator = page.say, loss_of(training), training.estimator
    n, size = len(training.y), min(int(estimator.batch_size), len(training.y))
    page.section(say("Gradient descent"))
    page.text(
        say("Every step uses all {n:,} rows (full batch).", n=n)
        if size == n
        else say(
            "Every step uses {size:,} of the {n:,} rows (mini-batch), in a random order that is new in every pass.",
            size=size,
            n=n,
        )
    )
    page.formula("w ← w + η·(1/m)·Σ xᵢ·(dᵢ − Pᵢ) = w + μ·Σ xᵢ·(dᵢ − Pᵢ)")
    page.text(
        say(
            "The learner takes the mean over the m rows of the batch, with the rate η (eta0). The sum over these rows "
            "with the rate μ = η/m is the same step: for μ = 0.1 on {size:,} rows, set eta0={eta}.",
            size=size,
            eta=say.short(0.1 * size),
        )
    )
    path = list(gradient_steps(training, training.most_steps))
    shown = min(loss.rows.shape[1] - 1, _MOST_WEIGHTS)
    for output, label in enumerate(spoken):
        lines = []
        for step, (epoch, batch, rate, gradient, theta) in enumerate(path, start=1):
            rows = " ".join(str(i + 1) for i in batch) if 1 < len(batch) < n <= _MOST_ROWS else str(len(batch))
            lines.append([str(step), str(epoch), rows, say.fixed(rate), say.fixed(rate / len(batch))])
            lines[-1] += [say.fixed(loss.value(theta)), say.fixed(float(np.linalg.norm(gradient)))]
            lines[-1] += [*map(say.fixed, theta[output, :shown]), say.fixed(theta[output, -1])]
        head = [
            say("step"),
            say("pass"),
            say("rows"),
            "η",
            "μ = η/m",
            "L",
            "‖g‖/m",
            *(f"w{j + 1}" for j in range(shown)),
        ]
        caption = say("weights of {label}", label=label) if len(spoken) > 1 else ""
        steps = [Step(k, tuple(np.sort(batch).tolist())) for k, (_, batch, *_) in enumerate(path)]
        page.table([*head, "b"], lines, caption, steps=steps)
    taken = int(estimator.n_iter_) * -(-n // size)
    if taken > len(path):
        page.text(say("{n:,} more {n:step is|steps are} not shown.", n=taken - len(path)))
    page.facts |= {
        "steps": taken,
        "losses": [loss.value(theta) for *_, theta in path],
        "weights": path[-1][-1].tolist(),
    }


def _result(page: Page, training: Training, spoken: list[str]) -> None:
    """The weights of the model, also in the units of the table, with the odds ratio of one more unit."""
    say, model = page.say, training.model
    page.section(say("Result"))
    coef, intercept = model.encoder.to_original_units(model.coef, model.intercept)
    for output, label in enumerate(spoken):
        names = model.encoder.names
        lines = [
            [name, say.fixed(w), say.fixed(u), say.fixed(float(np.exp(min(u, 700.0))))]
            for name, w, u in zip(names, model.coef[output], coef[output])
        ]
        lines.append(["b", say.fixed(model.intercept[output]), say.fixed(intercept[output]), ""])
        head = [say("column"), "w", say("in the units of the table"), say("odds ratio")]
        page.table(head, lines, say("weights of {label}", label=label), most=training.most_steps)
    page.text(say("The odds ratio e^w is the factor by which one more unit multiplies the odds of the class."))


def _row(page: Page, training: Training, spoken: list[str]) -> None:
    say, model = page.say, training.model
    assert training.row is not None
    x = np.asarray(model.encoder.transform(training.row))[0]
    page.section(say("The row"))
    values: list[float] = []
    for output, label in enumerate(spoken):
        terms = model.coef[output] * x
        used = np.flatnonzero(terms).tolist()
        lines = [
            [model.encoder.names[j], say.fixed(x[j]), say.fixed(model.coef[output, j]), say.fixed(terms[j])]
            for j in used
        ]
        lines.append(["b", "", "", say.fixed(model.intercept[output])])
        values.append(float(terms.sum() + model.intercept[output]))
        lines.append(["Σ", "", "", say.fixed(values[-1])])
        page.table([say("column"), "x", "w", "w·x"], lines, label, chosen=[len(lines) - 1])
    shares = _shares(page, training, spoken, values)
    best = int(np.argmax(shares)) if len(spoken) > 1 else int(values[0] > 0)
    page.text(say("Decision: {label} ({share}).", label=training.classes[best], share=say.percent(shares[best])))
    page.facts |= {"posterior": dict(zip(training.classes, shares.tolist())), "decision": training.classes[best]}


def _shares(page: Page, training: Training, spoken: list[str], values: list[float]) -> np.ndarray:
    if len(spoken) == 1:
        share = float(softmax([0.0, values[0]])[1])
        page.formula(f"P({spoken[0]}|x) = 1/(1 + exp(−({page.say.fixed(values[0])}))) = {page.say.percent(share)}")
        return np.array([1 - share, share])
    shares: Any = softmax(values)
    total = " + ".join(f"exp({page.say.fixed(value)})" for value in values)
    for label, value, share in zip(spoken, values, shares):
        page.formula(f"P({label}|x) = exp({page.say.fixed(value)}) / ({total}) = {page.say.percent(share)}")
    return np.asarray(shares)


def animate_logistic(context: AnimationContext) -> list[Frame]:
    """Make one picture per step of Newton's method."""
    if context.plane is None or not has_newton_steps(context.estimator):
        return []
    path = newton(loss_of(context.training), MAX_FRAMES)
    return [
        frame_of_weights(
            context, context.say("Step {n}: loss {loss}", n=number, loss=context.say.number(value, ".4g")), theta
        )
        for number, (theta, value, _) in enumerate(path)
    ]
