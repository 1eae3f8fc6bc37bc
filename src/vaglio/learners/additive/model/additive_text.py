"""The tables of an additive model in the names and units of the user's table: as rows, and as text for reading."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.limit import moment
from vaglio.learners.additive.model.additive import Additive
from vaglio.messages.numbers import short_number
from vaglio.messages.sentences import clip
from vaglio.model.base import plain_label

# For reading, neighbours are one line if they differ by less than this share of what the term ranges over.
_ALIKE = 0.05
_MOST_LINES = 12
_LONGEST = 40


def slot_labels(model: Additive, feature: int) -> list[str]:
    """What each slot of a column holds: ``<= 30``, ``30 to 45``, ``> 45``, a category, ``missing``."""
    column = model.features[feature]
    if column.is_nominal:
        return [*(str(category) for category in column.categories), "missing"]
    cuts = model.cuts_of(feature)
    return [*(_between(column, cuts, i, i + 1) for i in range(len(cuts) + 1)), "missing"]


def group_labels(model: Additive, feature: int) -> list[str]:
    """What each group of slots holds, in pairs."""
    column, groups = model.features[feature], model.groups_of(feature)
    cuts, names = model.cuts_of(feature), slot_labels(model, feature)
    found = []
    for group in range(int(groups[-1])):
        own = np.flatnonzero(groups[:-1] == group)
        if column.is_nominal:
            found.append(names[own[0]] if len(own) == 1 else f"{len(own)} other values")
        else:
            found.append(_between(column, cuts, int(own[0]), int(own[-1]) + 1))
    return [*found, "missing"]


def _between(column: Feature, cuts: np.ndarray, first: int, last: int) -> str:
    """The slots ``first`` up to ``last`` of a column of numbers or ranks."""
    if column.categories:  # ranks
        low = 0 if first == 0 else int(np.floor(cuts[first - 1])) + 1
        high = len(column.categories) - 1 if last > len(cuts) else int(np.floor(cuts[last - 1]))
        ends = [str(column.categories[min(max(rank, 0), len(column.categories) - 1)]) for rank in (low, high)]
        return ends[0] if low >= high else f"{ends[0]} to {ends[1]}"
    said = moment if column.is_date else _number
    if first == 0:
        return f"<= {said(float(cuts[last - 1]))}" if last <= len(cuts) else "any value"
    if last > len(cuts):
        return f"> {said(float(cuts[first - 1]))}"
    return f"{said(float(cuts[first - 1]))} to {said(float(cuts[last - 1]))}"


def _number(value: float) -> str:
    return short_number(value) if abs(value) >= 1e6 else f"{value + 0.0:.6g}"


def scored_classes(model: Additive, classes: np.ndarray | None) -> list[Any]:
    """The class that each score speaks for; of two classes the second. None for numbers."""
    if classes is None:
        return [None]
    labels = [plain_label(label) for label in classes]
    return labels[1:] if model.link == "logit" else labels


def scale_in_words(model: Additive) -> str:
    """What the terms add up to: the log-odds, or the prediction."""
    return {"identity": "the prediction", "log": "the logarithm of the prediction"}.get(model.link, "the log-odds")


def sum_in_words(model: Additive, classes: np.ndarray | None) -> str:
    """The same with the classes: ``the log-odds of yes``."""
    names = ", ".join(clip(str(label), _LONGEST) for label in scored_classes(model, classes))
    return scale_in_words(model) if classes is None else f"{scale_in_words(model)} of {names}"


def term_rows(model: Additive, classes: np.ndarray | None) -> list[dict[str, Any]]:
    """One row per cell and score, the start first: term, value of each column, class, score, deviation and weight."""
    scored = scored_classes(model, classes)
    empty = {"value": "", "second_value": ""}
    rows = [
        {"term": "(start)", **empty, "class": label, "score": float(start), "deviation": 0.0, "weight": 0.0}
        for label, start in zip(scored, model.intercept)
    ]
    for term, (first, second) in enumerate(model.terms.tolist()):
        down = slot_labels(model, first) if second < 0 else group_labels(model, first)
        across = [""] if second < 0 else group_labels(model, second)
        cells = slice(int(model.cell_start[term]), int(model.cell_start[term + 1]))
        places = [(a, b) for a in down for b in across]
        tables = (model.scores[cells], model.deviations[cells], model.weights[cells])
        for (a, b), scores, deviations, weight in zip(places, *tables):
            for label, score, deviation in zip(scored, scores.tolist(), deviations.tolist()):
                said = {"term": model.name_of(term), "value": a, "second_value": b, "class": label}
                rows.append({**said, "score": score, "deviation": deviation, "weight": float(weight)})
    return rows


def terms_text(model: Additive, classes: np.ndarray | None) -> str:
    """The model for reading: where the score starts, and what each term adds, the most important ones first."""
    start = ", ".join(f"{value:+.3f}" for value in model.intercept)
    lines = [
        f"What is added up to {sum_in_words(model, classes)}.",
        f"Neighbours that differ by less than {_ALIKE:.0%} of what a term ranges over are one line, with their mean.",
        "",
        f"start {start}",
    ]
    order = np.argsort(-model.importances(), kind="stable")
    for term in order.tolist():
        lines += ["", f"{model.name_of(term)} (moves the score by {model.importances()[term]:.3f} on average)"]
        lines += _pair_lines(model, term) if model.terms[term, 1] >= 0 else _column_lines(model, term)
    return "\n".join(lines) + "\n"


def _column_lines(model: Additive, term: int) -> list[str]:
    feature = int(model.terms[term, 0])
    scores, deviations, weights = (model.table(term, of) for of in ("scores", "deviations", "weights"))
    names, column = slot_labels(model, feature), model.features[feature]
    told = []
    if column.is_nominal:
        order = [int(i) for i in np.argsort(-scores[:-1, 0], kind="stable") if weights[i] > 0]
        told = [(clip(names[i], _LONGEST), scores[i], deviations[i]) for i in order[:_MOST_LINES]]
        if len(order) > _MOST_LINES:
            told.append((f"{len(order) - _MOST_LINES} more values", None, None))
    else:
        for first, last in segments(scores[:-1], weights[:-1], _MOST_LINES):
            share = weights[first:last] / max(weights[first:last].sum(), 1e-300)
            label = _between(column, model.cuts_of(feature), first, last)
            told.append((label, share @ scores[first:last], share @ deviations[first:last]))
    if weights[-1] > 0:
        told.append(("missing", scores[-1], deviations[-1]))
    return [_line(*line) for line in told]


def _pair_lines(model: Additive, term: int) -> list[str]:
    """The cells that move the most rows farthest."""
    first, second = model.terms[term].tolist()
    scores, deviations, weights = (model.table(term, of) for of in ("scores", "deviations", "weights"))
    moved = np.abs(scores).mean(axis=-1) * weights
    down, across = group_labels(model, first), group_labels(model, second)
    found = []
    for cell in np.argsort(-moved, axis=None, kind="stable")[: _MOST_LINES // 2].tolist():
        a, b = divmod(cell, moved.shape[1])
        if moved[a, b] > 0:
            label = f"{clip(down[a], _LONGEST)} and {clip(across[b], _LONGEST)}"
            found.append(_line(label, scores[a, b], deviations[a, b]))
    return found


def _line(label: str, scores: np.ndarray | None, deviations: np.ndarray | None) -> str:
    if scores is None or deviations is None:
        return f"  {label}"
    told = ", ".join(f"{score:+.3f} ± {spread:.3f}" for score, spread in zip(scores, deviations))
    return f"  {label:<24} {told}"


def segments(scores: np.ndarray, weights: np.ndarray, most: int, alike: float = _ALIKE) -> list[tuple[int, int]]:
    """Return runs of neighbours that are alike, (first, end) each, at most so many.

    The two neighbours that differ least are joined first, by weighted means.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
    weights : ndarray of shape (n,)
    most : int
    alike : float
        Neighbours that differ by less than this share of the whole range are joined in any case.
    """
    begins, means = np.arange(len(scores)), scores.astype(np.float64)
    sums = np.maximum(weights.astype(np.float64), 1e-300)
    near = alike * float(np.ptp(scores, axis=0).max(initial=0.0))
    while len(begins) > 1:
        gaps = np.abs(np.diff(means, axis=0)).max(axis=1)
        at = int(np.argmin(gaps))
        if gaps[at] > near and len(begins) <= most:
            break
        means[at] = (sums[at] * means[at] + sums[at + 1] * means[at + 1]) / (sums[at] + sums[at + 1])
        sums[at] += sums[at + 1]
        begins, sums = np.delete(begins, at + 1), np.delete(sums, at + 1)
        means = np.delete(means, at + 1, axis=0)
    return list(zip(begins.tolist(), [*begins[1:].tolist(), len(scores)]))
