"""The support vector machine: multipliers, support vectors, w, b, margin and slacks, computed from the solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import AnimationContext, Frame, marks_of
from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.errors import NotSupportedError

# What an error may cost: a small C has a wide margin with rows inside, a large one lets no row in if it can.
_COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def trace_svm(page: Page, training: Training) -> None:
    """Write the kernel, one section per pair of classes, and the decision values of a row."""
    say, model, estimator = page.say, training.model, training.estimator
    if model.kernel.name == "precomputed":
        raise NotSupportedError(
            "precomputed-kernel",
            "A precomputed kernel has no rows to show. Pass the rows and choose a kernel by name.",
        )
    page.section(say("The data"))
    page.text(
        say(
            "The multipliers α maximise Σ α − ½·Σ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ) subject to Σ yα = 0 and 0 ≤ α ≤ C. Rows "
            "with α > 0 are the support vectors."
        )
    )
    page.formula(kernel_formula(say, model.kernel))
    if not model.encoder.as_is:
        page.text(
            say(
                "Numbers are standardised, and every category becomes a column of 0 and 1. The weights belong to "
                "these columns."
            )
        )
    rows = np.asarray(model.rows(training.matrix))
    if model.phi is not None:
        page.text(say("φ maps each row to {n} columns.", n=rows.shape[1]))
        if model.mapped_names:
            page.formula(f"φ(x) = ({', '.join(model.mapped_names)})")
    binary = _binary_svms(training)
    page.facts["machines"] = []
    for positive, negative, signed in binary:
        page.section(say("{a} (+1) against {b} (−1)", a=positive, b=negative))
        page.facts["machines"].append(_write_solution(page, training, rows, signed))
    if training.row is not None:
        label = str(estimator.fitted_.classes[model.predict_codes(training.row)[0]])
        page.section(say("The row"))
        for (positive, _, _), value in zip(binary, model.machines(np.asarray(model.rows(training.row)))[0]):
            page.formula(f"f({positive}) = {say.fixed(value)}")
        page.text(say("Decision: {label}.", label=label))
        page.facts["decision"] = label


def kernel_formula(say: Notation, kernel: Any) -> str:
    """The kernel with its parameters."""
    g, c, h = say.fixed(kernel.gamma), say.fixed(kernel.coef0), kernel.degree
    written = {
        "linear": "k(x, z) = x·z",
        "poly": f"k(x, z) = ({g}·x·z + {c})^{h}",
        "rbf": f"k(x, z) = exp(−{g}·‖x − z‖²)",
        "sigmoid": f"k(x, z) = tanh({g}·x·z + {c})",
    }
    return written.get(kernel.name, "k(x, z)")


def kernel_values(kernel: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The kernel from its definition."""
    values: Any
    if kernel.name == "linear":
        values = a @ b.T
    elif kernel.name == "poly":
        values = (kernel.gamma * (a @ b.T) + kernel.coef0) ** kernel.degree
    elif kernel.name == "rbf":
        values = np.exp(-kernel.gamma * ((a[:, None] - b[None]) ** 2).sum(axis=2))
    elif kernel.name == "sigmoid":
        values = np.tanh(kernel.gamma * (a @ b.T) + kernel.coef0)
    else:
        values = kernel.function(a, b)
    return np.asarray(values)


def _binary_svms(training: Training) -> list[tuple[str, str, dict[int, float]]]:
    """Each binary machine: the class of positive values, the other class, and y·α of its support vectors by row."""
    model, classes = training.model, training.classes
    which = np.repeat(np.arange(len(classes)), np.diff(model.class_starts))
    if len(classes) == 2:
        return [(classes[1], classes[0], dict(zip(model.support.tolist(), model.dual_coef[0].tolist())))]
    if model.scheme == "ovr":
        return [(label, "¬ " + label, _nonzero(model.support, model.dual_coef[c])) for c, label in enumerate(classes)]
    found = []
    for a, b in model.pairs:
        # LIBSVM's layout: the line of a later class is its number minus one, of an earlier class its number.
        coef = np.where(which == a, model.dual_coef[b - 1], np.where(which == b, model.dual_coef[a], 0.0))
        found.append((classes[a], classes[b], _nonzero(model.support, coef)))
    return found


def _nonzero(support: np.ndarray, coef: np.ndarray) -> dict[int, float]:
    return {int(row): float(value) for row, value in zip(support, coef) if value != 0}


def _write_solution(page: Page, training: Training, rows: np.ndarray, signed: dict[int, float]) -> dict[str, Any]:
    """Write one binary machine; return its numbers."""
    say, model = page.say, training.model
    index = np.array(sorted(signed), dtype=int)
    page.about_rows(index)
    ya = np.array([signed[i] for i in index])
    number = len(page.facts["machines"])
    b = float(model.intercept[number])
    K = kernel_values(model.kernel, rows, rows[index])
    f = K @ ya + b
    C = training.estimator._bound(len(training.y), None)[0]
    lines = []
    for i, value in zip(index.tolist(), ya.tolist()):
        y = 1 if value > 0 else -1
        slack = max(0.0, 1 - y * f[i])
        where = say("α = C: inside the margin or wrong") if abs(value) >= C * (1 - 1e-9) else say("on the margin")
        lines.append([str(i + 1), training.classes[training.y[i]], "+1" if y > 0 else "−1", say.fixed(abs(value))])
        lines[-1] += [say.fixed(f[i]), say.fixed(slack), where]
    page.text(say("{n:,} of {of:,} rows are support vectors.", n=len(index), of=len(rows)))
    head = [say("row"), say("class"), "y", "α", "f(x)", say("slack"), say("position")]
    page.table(head, lines, say("Multipliers"), most=training.most_steps)
    page.formula(f"Σ yᵢ·αᵢ = {say.fixed(float(ya.sum()) if abs(ya.sum()) > 1e-9 else 0.0)}")
    norm2 = float(ya @ K[index] @ ya)
    facts = {"support": (index + 1).tolist(), "multipliers": np.abs(ya).tolist(), "b": b, "margin": 2 / norm2**0.5}
    if model.kernel.name == "linear":
        w = ya @ rows[index]
        names = model.mapped_names or [f"φ{i + 1}" for i in range(len(w))]
        each = say.series((f"{name} {say.fixed(value)}" for name, value in zip(names, w)), 20)
        page.formula(f"w = Σ αᵢ·yᵢ·xᵢ = ({say.series(map(say.fixed, w), 20)})")
        page.text(say("w per column: {weights}.", weights=each))
        facts["w"] = w.tolist()
    page.formula(f"b = {say.fixed(b)}")
    page.formula(f"‖w‖ = √(Σ αᵢ·αⱼ·yᵢ·yⱼ·k(xᵢ, xⱼ)) = {say.fixed(norm2**0.5)}")
    page.formula(f"{say('margin')} = 2/‖w‖ = {say.fixed(2 / norm2**0.5)}")
    return facts


def animate_svm(context: AnimationContext) -> list[Frame]:
    """Make one picture per cost of an error, with the margin and rings around the support vectors."""
    from contourpy import contour_generator

    plane, estimator = context.plane, context.estimator
    if plane is None or context.training.is_numeric:
        return []
    # A machine that was given lambda instead of C, or a hard margin, is shown as it is.
    free = estimator.lam is None and np.isfinite(estimator.C)
    costs = sorted({*_COSTS, float(estimator.C)}) if free else [None]
    frames = []
    for cost in costs:
        fitted = estimator
        if cost is not None and cost != estimator.C:
            fitted = clone(estimator).set_params(C=cost).fit(context.training.source, context.training.labels)
        caption = context.say("{n:,} {n:support vector|support vectors}", n=len(fitted.support_))
        if cost is not None:
            caption = f"C = {context.say.number(cost, 'g')}: {caption}"
        margins: list[tuple[str, np.ndarray]] = []
        if len(plane.classes) == 2:  # of more classes the regions tell enough
            values = fitted.decision_function(context.like_source(plane.grid))
            contours = contour_generator(plane.x, plane.y, values.reshape(len(plane.y), len(plane.x)))
            for kind, level in (("boundary", 0.0), ("margin", -1.0), ("margin", 1.0)):
                margins += [(kind, np.asarray(line)) for line in contours.lines(level)]
        rings = tuple(fitted.support_.tolist())
        frames.append(Frame(caption, marks_of(context, fitted, lines=tuple(margins), rings=rings)))
    return frames
