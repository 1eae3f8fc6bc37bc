"""Linear regression: the normal equations, the same minimum by gradient, and the sum of a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.inputs import Unit

# Columns of a system of equations that fits the width of a page, and weights in the table of steps.
_MOST_EQUATIONS = 8
_MOST_WEIGHTS = 12
# Rows of a table of residuals.
_MOST_ROWS = 20
# Pictures end where the next step would not be seen: the share of the weights that is left to go.
_UNSEEN = 1e-3


@dataclass(frozen=True)
class Squares:
    """Least squares with a penalty, on centred columns: ½·w·S·w − r·w + α·(λ·s·Σ|w| + (1 − λ)/2·Σw²).

    Attributes
    ----------
    mean : float64 (p,)
        Means of the columns; 0 without an intercept.
    y_mean : float
    products, slopes : float64 (p, p), (p,)
        S and r: mean products of the columns with each other and with the target.
    alpha, l1_ratio : float
        Strength of the penalty, and its absolute share λ.
    unit : float
        s, the standard deviation of the target: the penalty is in such units.
    """

    mean: np.ndarray
    y_mean: float
    products: np.ndarray
    slopes: np.ndarray
    alpha: float
    l1_ratio: float
    unit: float

    @classmethod
    def of(cls, training: Training) -> Squares:
        """Compute the sums from the encoded rows."""
        estimator = training.estimator
        rows, weight = encoded(training), training.weight / training.weight.sum()
        centred = bool(estimator.fit_intercept)
        mean = weight @ rows if centred else np.zeros(rows.shape[1])
        y_mean = float(weight @ training.y) if centred else 0.0
        apart, y = rows - mean, training.y - y_mean
        unit = float(Unit.of(training.y, None).back(np.array(1.0)))
        products, slopes = apart.T @ (apart * weight[:, None]), apart.T @ (y * weight)
        return cls(mean, y_mean, products, slopes, float(estimator.alpha_), float(estimator.l1_ratio), unit)

    @property
    def squared(self) -> float:
        """The strength of the squared penalty."""
        return self.alpha * (1 - self.l1_ratio)

    @property
    def absolute(self) -> float:
        """The strength of the absolute penalty, in the unit of the target."""
        return self.alpha * self.l1_ratio * self.unit

    def left(self) -> np.ndarray:
        """The matrix of the normal equations."""
        return self.products + self.squared * np.eye(len(self.slopes))

    def solution(self) -> np.ndarray:
        """The weights of least loss; of several, those of least length."""
        if self.absolute == 0:
            return np.asarray(np.linalg.lstsq(self.left(), self.slopes, rcond=None)[0])
        return [np.zeros(len(self.slopes)), *(w for _, w in self.passes(10_000))][-1]

    def passes(self, most: int) -> Iterator[tuple[int, np.ndarray]]:
        """Coordinate descent: every weight in turn is set to its best value, the others held."""
        w, left = np.zeros(len(self.slopes)), self.left()
        for number in range(1, most + 1):
            before = w.copy()
            for j in range(len(w)):
                rest = self.slopes[j] - left[j] @ w + left[j, j] * w[j]
                w[j] = np.sign(rest) * max(abs(rest) - self.absolute, 0.0) / left[j, j] if left[j, j] > 0 else 0.0
            yield number, w.copy()
            if np.abs(w - before).max(initial=0.0) <= 1e-12 * np.abs(w).max(initial=0.0):
                return

    def rate(self) -> float:
        """1/L, with the largest curvature L of the loss: the largest step that never overshoots."""
        largest = float(np.linalg.eigvalsh(self.left()).max(initial=0.0))
        return 1 / largest if largest > 0 else 1.0

    def descent(self, most: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Number, weights and gradient before each step along the gradient."""
        w, rate, left = np.zeros(len(self.slopes)), self.rate(), self.left()
        for number in range(most + 1):
            gradient = left @ w - self.slopes
            yield number, w, gradient
            w = w - rate * gradient


def encoded(training: Training) -> np.ndarray:
    """The rows as the columns that have weights."""
    return np.asarray(training.model.encoder.transform(training.matrix), dtype=float)


def trace_linear_regression(page: Page, training: Training) -> None:
    """Write the normal equations and their solution, the steps along the gradient, the residuals and a row."""
    say, estimator, model = page.say, training.estimator, training.model
    page.section(say("The data"))
    page.text(say("The prediction is a weighted sum of the columns. The weights make the squared errors smallest."))
    page.formula("ŷ = b + w·x")
    penalised = estimator.alpha_ > 0
    loss = "L = (1/2n)·Σ (yᵢ − ŷᵢ)²"
    if penalised:
        loss += " + (α/2)·Σw²" if estimator.l1_ratio == 0 else " + α·(λ·s·Σ|w| + (1 − λ)/2·Σw²)"
    page.formula(loss)
    if penalised:
        found = say("α = {alpha}", alpha=say.figures(float(estimator.alpha_)))
        if estimator.l1_ratio > 0:
            found += ", " + say("λ = {share}", share=say.figures(float(estimator.l1_ratio)))
            found += ", " + say("s is the standard deviation of y")
        page.text(
            say("{alpha}, chosen by cross-validation.", alpha=found) if estimator.alpha == "auto" else f"{found}."
        )
    if not model.encoder.as_is:
        page.text(
            say(
                "Numbers are standardised, and every category becomes a column of 0 and 1. The weights belong to "
                "these columns."
            )
        )
    page.text(f"{', '.join(f'x{j} {name}' for j, name in enumerate(model.encoder.names, start=1))}.")
    squares = Squares.of(training)
    if squares.absolute == 0:
        _equations(page, training, squares)
        _gradient(page, training, squares)
    else:
        _coordinates(page, training, squares)
    _result(page, training)
    _residuals(page, training)
    if training.row is None:
        page.text(say("Give a row to see its prediction."))
    else:
        _row(page, training)


def _equations(page: Page, training: Training, squares: Squares) -> None:
    """Write the normal equations; of one column, the slope as a quotient."""
    say, w = page.say, squares.solution()
    page.section(say("Normal equations"))
    page.text(say("At the minimum the derivative of L by every weight is 0. With x̄ and ȳ, the means:"))
    page.formula(f"S·w = r,  S = (1/n)·Σ (xᵢ − x̄)·(xᵢ − x̄)ᵀ{' + α·I' if squares.alpha else ''}")
    page.formula("r = (1/n)·Σ (xᵢ − x̄)·(yᵢ − ȳ),  b = ȳ − w·x̄")
    left, names = squares.left(), [f"x{j}" for j in range(1, len(w) + 1)]
    if len(w) <= _MOST_EQUATIONS:
        lines = [
            [name, *map(say.fixed, left[j]), say.fixed(squares.slopes[j]), say.fixed(w[j])]
            for j, name in enumerate(names)
        ]
        page.table(["", *(f"S {name}" for name in names), "r", "w"], lines, say("The equations and their solution"))
    else:
        page.text(say("{n:,} equations are too many for a page: only their solution is shown.", n=len(w)))
    if len(w) == 1 and left[0, 0] > 0:
        page.formula(f"w1 = r/S = {say.fixed(squares.slopes[0])} / {say.fixed(left[0, 0])} = {say.fixed(w[0])}")
    if np.linalg.matrix_rank(left, hermitian=True) < len(w):
        page.text(
            say("Some columns are sums of others, so several weights fit equally well: of these the shortest is taken.")
        )
    intercept = squares.y_mean - float(w @ squares.mean)
    if training.estimator.fit_intercept:
        terms = say.fixed(float(w @ squares.mean))
        page.formula(
            f"b = ȳ − w·x̄ = {say.fixed(squares.y_mean)} − {terms} = {say.fixed(intercept)}".replace("− −", "+ ")
        )
    page.facts |= {"weights": w.tolist(), "intercept": intercept}


def _gradient(page: Page, training: Training, squares: Squares) -> None:
    """Write the steps along the gradient that lead to the same weights."""
    say, shown = page.say, min(len(squares.slopes), _MOST_WEIGHTS)
    page.section(say("Gradient descent"))
    page.text(
        say(
            "The same minimum step by step, as it is found where the equations are too many: from weights of 0, every "
            "step goes against the gradient. The rate η is one over the largest curvature of the loss."
        )
    )
    page.formula(f"w ← w − η·(S·w − r),  η = {say.figures(squares.rate())}")
    lines, steps = [], list[dict[str, float]]()
    best = squares.solution()
    for number, w, gradient in squares.descent(training.most_steps):
        size, apart = float(np.linalg.norm(gradient)), float(np.linalg.norm(w - best))
        steps.append({"gradient": size, "distance": apart})
        lines.append([str(number), *map(say.fixed, w[:shown]), say.fixed(size), say.fixed(apart)])
        if size <= 1e-9 * max(float(np.linalg.norm(squares.slopes)), 1e-300):
            break
    head = [say("step"), *(f"w{j}" for j in range(1, shown + 1)), "‖g‖", say("distance to the solution")]
    page.table(head, lines)
    page.facts["descent"] = steps


def _coordinates(page: Page, training: Training, squares: Squares) -> None:
    """Write the passes of coordinate descent, which sets weights to exactly 0."""
    say, shown = page.say, min(len(squares.slopes), _MOST_WEIGHTS)
    page.section(say("Coordinate descent"))
    page.text(
        say(
            "An absolute penalty has no derivative at 0, so there are no equations to solve. Each pass sets one weight "
            "after the other to its best value while the others are held; a weight within the penalty becomes 0."
        )
    )
    page.formula("ρⱼ = rⱼ − Σ Sⱼₖ·wₖ (k ≠ j),  wⱼ = sign(ρⱼ)·max(|ρⱼ| − α·λ·s, 0) / (Sⱼⱼ + α·(1 − λ))")
    lines, w = [["0", *["0"] * shown]], np.zeros(len(squares.slopes))
    for number, w in squares.passes(10_000):
        if number <= training.most_steps:
            lines.append([str(number), *map(say.fixed, w[:shown])])
    page.table([say("pass"), *(f"w{j}" for j in range(1, shown + 1))], lines)
    page.text(say("{n:,} {n:weight is|weights are} 0.", n=int((w == 0).sum())))
    page.facts |= {"weights": w.tolist(), "intercept": squares.y_mean - float(w @ squares.mean)}


def _result(page: Page, training: Training) -> None:
    """Write the weights of the model, also in the units of the table."""
    say, model = page.say, training.model
    page.section(say("Result"))
    coef, intercept = model.encoder.to_original_units(model.coef, model.intercept)
    lines = [[name, say.fixed(w), say.figures(u)] for name, w, u in zip(model.encoder.names, model.coef[0], coef[0])]
    lines.append(["b", say.fixed(model.intercept[0]), say.figures(intercept[0])])
    page.table([say("column"), "w", say("in the units of the table")], lines, most=training.most_steps)
    page.text(say("In the units of the table, a weight is what one more unit of the column adds to the prediction."))


def _residuals(page: Page, training: Training) -> None:
    say, predicted = page.say, np.asarray(training.model.predict(training.matrix))
    apart, weight = training.y - predicted, training.weight
    lines = [
        [str(i + 1), say.short(y), say.fixed(p), say.fixed(e)]
        for i, (y, p, e) in enumerate(zip(training.y.tolist(), predicted.tolist(), apart.tolist()))
    ]
    page.section(say("Residuals"))
    page.table([say("row"), "y", "ŷ", "y − ŷ"], lines, most=_MOST_ROWS)
    rest = float(weight @ apart**2)
    total = float(weight @ (training.y - np.average(training.y, weights=weight)) ** 2)
    if total > 0:
        worked = f"1 − {say.fixed(rest)} / {say.fixed(total)}"
        page.formula(f"R² = 1 − Σ (yᵢ − ŷᵢ)² / Σ (yᵢ − ȳ)² = {worked} = {say.fixed(1 - rest / total)}")
        page.facts["r2"] = 1 - rest / total


def _row(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    assert training.row is not None
    x = np.asarray(model.encoder.transform(training.row), dtype=float)[0]
    page.section(say("The row"))
    terms = model.coef[0] * x
    lines = [
        [model.encoder.names[j], say.fixed(x[j]), say.fixed(model.coef[0, j]), say.fixed(terms[j])]
        for j in np.flatnonzero(terms).tolist()
    ]
    lines.append(["b", "", "", say.fixed(model.intercept[0])])
    predicted = float(terms.sum() + model.intercept[0])
    lines.append(["ŷ", "", "", say.fixed(predicted)])
    page.table([say("column"), "x", "w", "w·x"], lines, chosen=[len(lines) - 1])
    page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
    page.facts["prediction"] = predicted


def animate_linear_regression(context: AnimationContext) -> list[Frame]:
    """Make one picture per step along the gradient, or per pass of coordinate descent, and one of the model."""
    if context.plane is None:
        return []
    estimator, squares = context.estimator, Squares.of(context.training)
    matrix = estimator._encode(context.like_source(context.points))
    points = np.asarray(context.training.model.encoder.transform(matrix), dtype=float)
    steps = (
        ((number, w) for number, w, _ in squares.descent(MAX_FRAMES - 2))
        if squares.absolute == 0
        else ((number, w.copy()) for number, w in squares.passes(MAX_FRAMES - 2))
    )
    frames, best = [], float(np.linalg.norm(squares.solution()))
    for number, w in steps:
        predicted = squares.y_mean + (points - squares.mean) @ w
        caption = context.say("Step {n}", n=number)
        frames.append(Frame(caption, context.marks(predicted, lines=context.residuals(predicted))))
        if np.linalg.norm(w - squares.solution()) <= _UNSEEN * best:
            break
    predicted = np.asarray(estimator.predict(context.like_source(context.points)))
    finished = context.marks(predicted, lines=context.residuals(predicted))
    return [*frames, Frame(context.say("The finished model"), finished)]
