"""Exercises on lines: perceptron, logistic regression, a network, the largest margin, kernels."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt, tanh

import numpy as np

from vaglio.exercises.answers import Number, Word, Words
from vaglio.exercises.drawing import until
from vaglio.exercises.sheet import Draft
from vaglio.tracing import trace_kernel

Point = tuple[int, int]


def _epoch(points: list[Point], signs: list[int]) -> list[tuple[int, int, int]]:
    """Return the weights (w1, w2, b) after each row; a row on the line counts as wrong."""
    w, path = (0, 0, 0), []
    for (a, b), sign in zip(points, signs, strict=True):
        if sign * (w[0] * a + w[1] * b + w[2]) <= 0:
            w = (w[0] + sign * a, w[1] + sign * b, w[2] + sign)
        path.append(w)
    return path


def _vector(w: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, w))})".replace("-", "−")


def perceptron(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Weights after each row of the first epoch."""
    say, n = draft.say, 3 + level

    def make() -> tuple[list[Point], list[int]]:
        points = [(int(a), int(b)) for a, b in draw.integers(-4, 5, size=(n, 2))]
        return points, [1 if sign else -1 for sign in draw.integers(2, size=n)]

    def fits(made: tuple[list[Point], list[int]]) -> bool:
        points, signs = made
        if len(set(points)) < n or len(set(signs)) < 2 or (0, 0) in points:
            return False
        path = _epoch(points, signs)
        updates = sum(one != other for one, other in zip([(0, 0, 0), *path], path, strict=False))
        return 2 <= updates < n and path[-1][:2] != (0, 0)

    points, signs = until(make, fits)
    path = _epoch(points, signs)
    draft.text(
        say(
            "A perceptron starts with w = (0, 0) and b = 0 and takes the rows in order. It predicts the sign of "
            "w·x + b; if "
            "the prediction is wrong, or w·x + b is 0, it adds y·x to w and y to b."
        )
    )
    draft.table(
        [say("row"), "x1", "x2", "y"], [[i, *p, s] for i, (p, s) in enumerate(zip(points, signs, strict=True), 1)]
    )
    draft.facts = {"points": points, "signs": signs}
    steps = []
    for at, (p, s) in enumerate(zip(points, signs, strict=True)):
        before = path[at - 1] if at else (0, 0, 0)
        value = before[0] * p[0] + before[1] * p[1] + before[2]
        steps.append(f"{at + 1}: w·x + b = {value}, y = {s} → w, b = {_vector(path[at])}".replace("-", "−"))
    draft.ask(say("What is w1 after the first row?"), Number(path[0][0], 0), steps[0])
    draft.ask(
        say("How many rows change the weights in the first epoch?"),
        Number(sum(one != other for one, other in zip([(0, 0, 0), *path], path, strict=False)), 0),
        *steps,
    )
    for name, at in (("w1", 0), ("w2", 1), ("b", 2)):
        draft.ask(say("What is {name} at the end of the first epoch?", name=name), Number(path[-1][at], 0))
    if level > 1:
        a, b = until(
            lambda: tuple(int(each) for each in draw.integers(-4, 5, size=2)),
            lambda x: path[-1][0] * x[0] + path[-1][1] * x[1] + path[-1][2] != 0,
        )
        value = path[-1][0] * a + path[-1][1] * b + path[-1][2]
        draft.facts["new"] = [a, b]
        draft.ask(
            say("Which y do these weights predict for x = {x}? (1 or -1)", x=_vector((a, b))),
            Number(1 if value > 0 else -1, 0),
            f"w·x + b = {value}".replace("-", "−"),
        )
    if level > 2:
        wrong = [
            str(i)
            for i, (p, s) in enumerate(zip(points, signs, strict=True), 1)
            if s * (path[-1][0] * p[0] + path[-1][1] * p[1] + path[-1][2]) <= 0
        ]
        draft.ask(
            say("How many of the rows do the weights at the end of the epoch still misclassify?"), Number(len(wrong), 0)
        )


def logistic(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Probability, loss and gradient of one step."""
    say = draft.say

    def make() -> tuple[tuple[int, int, int], list[Point], list[int]]:
        w = tuple(int(each) for each in draw.integers(-2, 3, size=3))
        points = [(int(a), int(b)) for a, b in draw.integers(-2, 4, size=(3, 2))]
        return w, points, draw.integers(2, size=3).tolist()  # type: ignore[return-value]

    def value(w: tuple[int, int, int], p: Point) -> int:
        return w[0] * p[0] + w[1] * p[1] + w[2]

    def fits(made: tuple[tuple[int, int, int], list[Point], list[int]]) -> bool:
        w, points, labels = made
        return (
            bool(w[0] and w[1])
            and len(set(points)) == 3
            and len(set(labels)) == 2
            and all(abs(value(w, p)) <= 3 for p in points)
            and value(w, points[0]) != 0
        )

    w, points, labels = until(make, fits)
    shares = [1 / (1 + exp(-value(w, p))) for p in points]
    draft.text(
        say(
            "Logistic regression with w = {w} and b = {b}: P(y = 1 | x) = 1/(1 + e^(−(w·x + b))).",
            w=_vector(w[:2]),
            b=str(w[2]).replace("-", "−"),
        )
    )
    draft.table(
        [say("row"), "x1", "x2", "y"], [[i, *p, y] for i, (p, y) in enumerate(zip(points, labels, strict=True), 1)]
    )
    draft.facts = {"w": list(w), "points": points, "labels": labels}
    for at in range(3 if level > 1 else 1):
        z = value(w, points[at])
        draft.ask(
            say("What is P(y = 1) of row {row:,}?", row=at + 1),
            Number(shares[at]),
            f"w·x + b = {z}; 1/(1 + e^({-z})) = {draft.show(shares[at])}".replace("-", "−"),
            mistakes=[(say("the sign in the exponent"), Number(1 - shares[at])), (say("the sum itself"), Number(z))],
        )
    draft.ask(say("Which class does row 1 get, with threshold 0.5? (0 or 1)"), Number(1 if shares[0] > 0.5 else 0, 0))
    loss = -log(shares[0] if labels[0] else 1 - shares[0])
    draft.ask(
        say("What is the log loss of row 1 (natural logarithm)?"),
        Number(loss),
        f"−ln({draft.show(shares[0] if labels[0] else 1 - shares[0])}) = {draft.show(loss)}",
        mistakes=[(say("base-2 logarithms"), Number(loss / log(2)))],
    )
    gradient = [sum((y - s) * (*p, 1)[j] for p, y, s in zip(points, labels, shares, strict=True)) for j in range(3)]
    if level > 1:
        draft.ask(
            say("What is the gradient of the log-likelihood for w1, the sum of x1·(y − p) over the rows?"),
            Number(gradient[0]),
            mistakes=[
                (say("the sign"), Number(-gradient[0])),
                (say("the mean instead of the sum"), Number(gradient[0] / 3)),
            ],
        )
    if level > 2:
        for name, at in (("w1", 0), ("b", 2)):
            moved = w[at] + gradient[at] / 10
            draft.ask(
                say("What is {name} after one step uphill with step size 0.1?", name=name),
                Number(moved),
                f"{w[at]} + 0.1·{draft.show(gradient[at])} = {draft.show(moved)}".replace("-", "−"),
                mistakes=[(say("downhill"), Number(w[at] - gradient[at] / 10))],
            )


def network(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """The forward pass through one hidden layer of two neurons."""
    say = draft.say

    def make() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return draw.integers(-2, 3, size=(2, 3)), draw.integers(-2, 3, size=3), draw.integers(-2, 3, size=2)

    def fits(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> bool:
        hidden, out, x = made
        sums = hidden[:, :2] @ x + hidden[:, 2]
        return bool(
            np.all(hidden[:, :2]) and np.all(out[:2]) and np.any(x) and sums.max() > 0 and np.abs(sums).max() <= 4
        )

    hidden, out, x = until(make, fits)
    smooth = level > 1
    sums = (hidden[:, :2] @ x + hidden[:, 2]).tolist()
    acts = [tanh(value) if smooth else float(max(value, 0)) for value in sums]
    z = float(out[0] * acts[0] + out[1] * acts[1] + out[2])
    draft.text(
        say(
            "A network with two inputs, two hidden neurons with the activation {activation}, and one logistic output. "
            "The input is x = {x}.",
            activation="tanh" if smooth else "max(0, z)",
            x=_vector(tuple(x.tolist())),
        )
    )
    draft.table(
        [say("neuron"), say("weight of the first input"), say("weight of the second input"), say("bias")],
        [["h1", *hidden[0].tolist()], ["h2", *hidden[1].tolist()], [say("output"), *out.tolist()]],
    )
    draft.facts = {
        "hidden": hidden.tolist(),
        "out": out.tolist(),
        "x": x.tolist(),
        "activation": "tanh" if smooth else "relu",
    }
    for at in (0, 1):
        draft.ask(
            say("What is the weighted sum of h{n:,}?", n=at + 1),
            Number(int(sums[at]), 0),
            f"{hidden[at, 0]}·{x[0]} + {hidden[at, 1]}·{x[1]} + {hidden[at, 2]} = {sums[at]}".replace("-", "−"),
            mistakes=[(say("without the bias"), Number(int(sums[at] - hidden[at, 2]), 0))],
        )
    for at in (0, 1):
        draft.ask(say("What is the activation of h{n:,}?", n=at + 1), Number(acts[at]))
    share = 1 / (1 + exp(-z))
    draft.ask(
        say("What is the output of the network, 1/(1 + e^(−z))?"),
        Number(share),
        f"z = {draft.show(z)}; 1/(1 + e^(−z)) = {draft.show(share)}",
        mistakes=[(say("z itself"), Number(z)), (say("the sign in the exponent"), Number(1 - share))],
    )
    if level > 2:
        draft.ask(
            say("The class is 1. What is the derivative of the log loss with respect to z, p − y?"),
            Number(share - 1),
            mistakes=[(say("the sign"), Number(1 - share))],
        )
        draft.ask(
            say("What is its derivative with respect to the weight from h1 to the output?"),
            Number((share - 1) * acts[0]),
            mistakes=[(say("not multiplied by the activation of h1"), Number(share - 1))],
        )


def margin(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Six points that two parallel lines keep apart: support vectors, w, b, the margin."""
    say = draft.say
    # The direction across the street, its two sides, and the points on and behind them.
    across = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2)][int(draw.integers(2 if level == 1 else 6))]
    along = (-across[1], across[0])

    def make() -> tuple[list[Point], list[int]]:
        corner = (int(draw.integers(-2, 3)), int(draw.integers(-2, 3)))
        steps = int(draw.integers(1, 3))

        def at(u: int, v: int) -> Point:
            return corner[0] + u * across[0] + v * along[0], corner[1] + u * across[1] + v * along[1]

        # Two points on one side face one between them on the other: the direction across is the only best one.
        v = draw.choice(np.arange(-2, 3), size=2, replace=False).tolist()
        low, high = min(v), max(v)
        middle = int(draw.integers(low, high + 1))
        positive = [
            at(steps, middle),
            at(steps + 1, int(draw.integers(-2, 3))),
            at(steps + 2, int(draw.integers(-2, 3))),
        ]
        negative = [at(0, low), at(0, high), at(-1, int(draw.integers(-2, 3)))]
        return positive + negative, [1, 1, 1, -1, -1, -1]

    points, signs = until(make, lambda made: len(set(made[0])) == 6 and max(map(abs, sum(made[0], ()))) <= 9)
    order = draw.permutation(6).tolist()
    # The support vectors are where the order has put the three points on the edges of the street.
    support = sorted(order.index(k) + 1 for k in (0, 3, 4))
    steps = Fraction(
        (points[0][0] - points[3][0]) * across[0] + (points[0][1] - points[3][1]) * across[1],
        across[0] ** 2 + across[1] ** 2,
    )
    scale = 2 / (steps * (across[0] ** 2 + across[1] ** 2))
    w = (scale * across[0], scale * across[1])
    b = 1 - (w[0] * points[0][0] + w[1] * points[0][1])
    points, signs = [points[k] for k in order], [signs[k] for k in order]
    width = 2 / sqrt(float(w[0] ** 2 + w[1] ** 2))
    draft.text(
        say(
            "Six points of two classes, which a line can separate. Draw them and the widest street between the "
            "classes. The "
            "line is w·x + b = 0, and w·x + b = ±1 on the edges of the street, +1 on the side of y = 1."
        )
    )
    draft.table(
        [say("row"), "x1", "x2", "y"], [[i, *p, s] for i, (p, s) in enumerate(zip(points, signs, strict=True), 1)]
    )
    draft.facts = {"points": points, "signs": signs}
    draft.ask(say("Which rows lie on the edges of the street?"), Words.of(_on_edges(points, signs, w, b)))
    draft.ask(
        say("How wide is the street, from edge to edge?"),
        Number(width),
        f"2/‖w‖ = {draft.show(width)}",
        mistakes=[(say("half the street"), Number(width / 2))],
    )
    for name, value in (("w1", w[0]), ("w2", w[1]), ("b", b)):
        draft.ask(say("What is {name}?", name=name), Number(value), mistakes=[(say("the sign"), Number(-value))])
    if level > 1:
        x = until(
            lambda: (int(draw.integers(-5, 6)), int(draw.integers(-5, 6))),
            lambda p: p not in points and w[0] * p[0] + w[1] * p[1] + b != 0,
        )
        value = w[0] * x[0] + w[1] * x[1] + b
        draft.facts["new"] = list(x)
        draft.ask(
            say("Which y has the point {x}? (1 or -1)", x=_vector(x)),
            Number(1 if value > 0 else -1, 0),
            f"w·x + b = {draft.show(value)}",
        )
    if level > 2:
        removed = next(i for i in range(1, 7) if i not in support and str(i) not in _on_edges(points, signs, w, b))
        draft.ask(
            say("Row {row:,} is removed. Does the line change? (yes or no)", row=removed),
            Word(say("no")),
            say("Only rows on the edges hold the line."),
        )


def _on_edges(points: list[Point], signs: list[int], w: tuple[Fraction, Fraction], b: Fraction) -> list[str]:
    return [
        str(i)
        for i, (p, s) in enumerate(zip(points, signs, strict=True), 1)
        if s * (w[0] * p[0] + w[1] * p[1] + b) == 1
    ]


def kernel(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """A polynomial kernel, and the map whose dot product it is."""
    say = draft.say
    x, z = until(
        lambda: tuple(tuple(int(v) for v in draw.integers(-2, 4, size=2)) for _ in range(2)),
        lambda made: (
            all(made[0])
            and all(made[1])
            and made[0] != made[1]
            and made[0][0] * made[1][0] + made[0][1] * made[1][1] != 0
        ),
    )
    dot = x[0] * z[0] + x[1] * z[1]
    draft.text(say("Two points: x = {x} and z = {z}.", x=_vector(x), z=_vector(z)))
    draft.facts = {"x": list(x), "z": list(z)}
    draft.ask(say("What is x·z?"), Number(dot, 0))
    draft.ask(
        say("What is the kernel (x·z)²?"),
        Number(dot**2, 0),
        mistakes=[(say("the squares multiplied one by one"), Number((x[0] * z[0]) ** 2 + (x[1] * z[1]) ** 2, 0))],
    )
    root = sqrt(2) * x[0] * x[1]
    draft.ask(
        say("It is the dot product of φ(x) = (x1², √2·x1·x2, x2²). What is the second coordinate of φ(x)?"),
        Number(root),
        mistakes=[(say("without √2"), Number(x[0] * x[1]))],
    )
    draft.ask(say("What is the kernel (x·z + 1)²?"), Number((dot + 1) ** 2, 0))
    if level > 1:
        distance = (x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2
        draft.ask(
            say("What is the Gaussian kernel exp(−‖x − z‖²/(2σ²)) with σ = 2?"),
            Number(exp(-distance / 8)),
            f"exp(−{distance}/8) = {draft.show(exp(-distance / 8))}",
            mistakes=[(say("the distance was not squared"), Number(exp(-sqrt(distance) / 8)))],
        )
    if level > 2:
        draft.ask(
            say("How many coordinates has the map of (x·z + 1)² for points of 2 coordinates, the constant included?"),
            Number(6, 0),
        )
    draft.trace = trace_kernel(x=list(x), z=list(z), kernel="poly", lang=say.lang) if level > 1 else None
