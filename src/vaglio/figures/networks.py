"""The neuron and the network with their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.figures.planes import Subject
from vaglio.fitted import Fitted
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Units of a layer that are drawn, edges with a number, and the longest name beside an input.
_MOST_UNITS, _MOST_WRITTEN, _LONGEST_NAME = 14, 40, 22


def draw_neuron(subject: Subject) -> Any:
    """Draw a linear model or a network as neurons: inputs, weights, the sum and what becomes of it."""
    locale = subject.locale
    names, weights, biases, steps, outputs = _layers(subject)
    ax = axes_for(
        None, size=(3.2 + 2.0 * len(weights), 0.9 + 0.42 * min(max(w.shape[0] for w in weights), _MOST_UNITS))
    )
    places = _places([len(names), *(w.shape[1] for w in weights)])
    edges = sum(w.size for w in weights)
    widest = max((float(np.abs(w).max()) for w in weights), default=1.0) or 1.0
    for layer, weight in enumerate(weights):
        for (i, start), (j, end) in _shown_pairs(places[layer], places[layer + 1]):
            value = float(weight[i, j])
            ax.plot(
                *zip(start, end),
                color=PALETTE[0] if value >= 0 else PALETTE[1],
                linewidth=0.4 + 3.2 * abs(value) / widest,
                alpha=0.65,
                zorder=1,
            )
            if edges <= _MOST_WRITTEN:
                # Staggered along the edges, so that the numbers of neighbouring units do not cover each other.
                along = 0.2 + 0.55 * (j + 0.5) / weight.shape[1]
                x, y = (a + along * (b - a) for a, b in zip(start, end))
                ax.text(x, y, locale.number(value, ".2f"), fontsize=7, ha="center", va="center", bbox=_BOX, zorder=2)
    _units(ax, places, names, outputs)
    for layer, bias in enumerate(biases, start=1):
        for j, (x, y) in places[layer].items():
            ax.text(x, y, "Σ", ha="center", va="center", fontsize=10, color=INK, zorder=4)
            if edges <= _MOST_WRITTEN:
                ax.text(x, y - 0.46, f"b = {locale.number(float(bias[j]), '.2f')}", **_BELOW)
    for layer, step in enumerate(steps, start=1):
        top = max(y for _, y in places[layer].values())
        ax.text(layer * 2.0, top + 0.62, locale.text(step), ha="center", va="bottom", fontsize=8, color=MUTED)
    ax.plot([], [], color=PALETTE[0], linewidth=2.5, label=locale.say("positive weight"))
    ax.plot([], [], color=PALETTE[1], linewidth=2.5, label=locale.say("negative weight"))
    ax.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    ax.set_axis_off()
    heights = [y for layer in places for _, y in layer.values()]
    ax.set(xlim=(-1.9, 2.0 * len(weights) + 1.5), ylim=(min(heights) - 0.6, max(heights) + 1.2))
    return ax.figure


# Numbers are readable where edges run behind them.
_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}
_BELOW: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 6.5, "color": MUTED, "zorder": 2, "bbox": _BOX}


def _layers(subject: Subject) -> tuple[list[str], list[np.ndarray], list[np.ndarray], list[Any], list[str]]:
    """Names of the inputs, weights and biases of every layer, what each layer does, names of the outputs."""
    fitted = _fitted(subject)
    model: Any = fitted.model
    classes = [] if fitted.classes is None else [str(label) for label in fitted.classes]
    if model.kind == "linear" or (model.kind == "svm" and model.coef is not None and len(model.coef) == 1):
        weights, biases = [np.asarray(model.coef).T], [np.atleast_1d(np.asarray(model.intercept))]
        probable = model.kind == "linear" and model.probabilistic
        last = text("logistic") if probable else text("step")
        last = text("softmax") if probable and weights[0].shape[1] > 1 else last
        steps: list[Any] = [last]
    elif hasattr(model, "weights") and hasattr(model, "activation"):
        weights, biases = [np.asarray(w) for w in model.weights], [np.asarray(b) for b in model.biases]
        last = text("logistic") if weights[-1].shape[1] == 1 else text("softmax")
        steps = [*[model.activation] * (len(weights) - 1), last]
    else:
        raise InputError(
            "neuron-needs-weights",
            "This figure shows weights; the learner {learner!r} has none. Choose perceptron, logistic, mlp or a linear "
            "svm.",
            learner=fitted.learner,
        )
    outputs = classes[1:] if weights[-1].shape[1] == 1 else classes
    return [str(name) for name in model.encoder.names], weights, biases, steps, outputs


def _fitted(subject: Subject) -> Fitted:
    if subject.is_fitted:
        return subject.model if isinstance(subject.model, Fitted) else subject.model.fitted_
    if subject.table is None:
        raise InputError("figure-needs-model", "Pass a model, or a learner and a table to train it on.")
    X = subject.X if subject.columns is None else subject.X.select(list(subject.columns))
    trained: Fitted = subject.set_learner().fit(X, subject.y).fitted_
    return trained


def _places(sizes: Sequence[int]) -> list[dict[int, tuple[float, float]]]:
    """Where the units of every layer stand: the first and the last of a long one, with a gap between."""
    places = []
    for layer, size in enumerate(sizes):
        half = _MOST_UNITS // 2
        shown = list(range(size)) if size <= _MOST_UNITS else [*range(half), *range(size - half, size)]
        places.append({unit: (2.0 * layer, (len(shown) - 1) / 2 - k) for k, unit in enumerate(shown)})
    return places


def _shown_pairs(left: dict[int, Any], right: dict[int, Any]) -> Any:
    return ((a, b) for a in left.items() for b in right.items())


def _units(ax: Axes, places: list[dict[int, tuple[float, float]]], names: list[str], outputs: list[str]) -> None:
    for layer, units in enumerate(places):
        for unit, (x, y) in units.items():
            size = 160 if layer == 0 else 420
            ax.scatter([x], [y], s=size, facecolor="white", edgecolor=INK, linewidth=1.0, zorder=3)
            if layer == 0:
                ax.text(x - 0.2, y, clip(names[unit], _LONGEST_NAME), ha="right", va="center", fontsize=8, color=INK)
            elif layer == len(places) - 1:
                ax.text(x + 0.36, y, clip(outputs[unit], _LONGEST_NAME), ha="left", va="center", fontsize=9, color=INK)
