"""An additive model for readers: its terms as lines of text and rows of a table, and each term to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.additive.model.additive import Additive
from vaglio.messages.figures import moment, short_number
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import clip
from vaglio.model.base import plain_label

# For reading, neighbours are one line if they differ by less than this share of what the term ranges over; steps of a
# drawing likewise.
_ALIKE = 0.05
_DRAWN_ALIKE = 0.01
_MOST_LINES = 12
_LONGEST = 40


def slot_labels(model: Additive, feature: int) -> list[str]:
    """What each slot of a column max_bytes: ``<= 30``, ``30 to 45``, ``> 45``, a category, ``missing``."""
    column = model.features[feature]
    if column.is_nominal:
        return [*(str(category) for category in column.categories), text("missing")]
    cuts = model.cuts_of(feature)
    return [*(_between(column, cuts, i, i + 1) for i in range(len(cuts) + 1)), text("missing")]


def group_labels(model: Additive, feature: int) -> list[str]:
    """What each group of slots holds, in pairs."""
    column, groups = model.features[feature], model.groups_of(feature)
    cuts, names = model.cuts_of(feature), slot_labels(model, feature)
    found = []
    for group in range(int(groups[-1])):
        own = np.flatnonzero(groups[:-1] == group)
        if column.is_nominal:
            found.append(names[own[0]] if len(own) == 1 else text("{n:,} other {n:value|values}", n=len(own)))
        else:
            found.append(_between(column, cuts, int(own[0]), int(own[-1]) + 1))
    return [*found, text("missing")]


def _between(column: Feature, cuts: np.ndarray, first: int, last: int) -> str:
    """The slots ``first`` up to ``last`` of a column of numbers or ranks."""
    if column.categories:  # ranks
        low = 0 if first == 0 else int(np.floor(cuts[first - 1])) + 1
        high = len(column.categories) - 1 if last > len(cuts) else int(np.floor(cuts[last - 1]))
        ends = [str(column.categories[min(max(rank, 0), len(column.categories) - 1)]) for rank in (low, high)]
        return ends[0] if low >= high else text("{low} to {high}", low=ends[0], high=ends[1])
    said = moment if column.is_date else _number
    if first == 0:
        return join(" ", ["<=", said(float(cuts[last - 1]))]) if last <= len(cuts) else text("any value")
    if last > len(cuts):
        return join(" ", [">", said(float(cuts[first - 1]))])
    return text("{low} to {high}", low=said(float(cuts[first - 1])), high=said(float(cuts[last - 1])))


def _number(value: float) -> str:
    return Number(short_number(value) if abs(value) >= 1e6 else f"{value + 0.0:.6g}")


def scored_classes(model: Additive, classes: np.ndarray | None) -> list[Any]:
    """The class that each score speaks for; of two classes the second. None for numbers."""
    if classes is None:
        return [None]
    labels = [plain_label(label) for label in classes]
    return labels[1:] if model.link == "logit" else labels


_SCALES = {"identity": text("the prediction"), "log": text("the logarithm of the prediction")}


def scale_in_words(model: Additive) -> Message:
    """What the terms add up to: the log-odds, or the prediction."""
    return _SCALES.get(model.link, text("the log-odds"))


def sum_in_words(model: Additive, classes: np.ndarray | None) -> Message:
    """The same with the classes: ``the log-odds of yes``."""
    if classes is None:
        return scale_in_words(model)
    names = join(", ", [clip(str(label), _LONGEST) for label in scored_classes(model, classes)])
    return text("{scale} of {label}", scale=scale_in_words(model), label=names)


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
    lines: list[str] = [
        text("What each term adds to {scale}.", scale=sum_in_words(model, classes)),
        text(
            "Neighbouring values whose scores differ by less than {share:.0%} of the range of the term share a line "
            "with their mean.",
            share=_ALIKE,
        ),
        "",
        text("start {scores}", scores=Number(start)),
    ]
    order = np.argsort(-model.importances(), kind="stable")
    for term in order.tolist():
        moved = float(model.importances()[term])
        lines += ["", text("{term} (moves the score by {moved:.3f} on average)", term=model.name_of(term), moved=moved)]
        lines += _pair_lines(model, term) if model.terms[term, 1] >= 0 else _column_lines(model, term)
    return join("\n", [*lines, ""])


def _column_lines(model: Additive, term: int) -> list[str]:
    feature = int(model.terms[term, 0])
    scores, deviations, weights = (model.table(term, of) for of in ("scores", "deviations", "weights"))
    names, column = slot_labels(model, feature), model.features[feature]
    told = []
    if column.is_nominal:
        order = [int(i) for i in np.argsort(-scores[:-1, 0], kind="stable") if weights[i] > 0]
        told = [(clip(names[i], _LONGEST), scores[i], deviations[i]) for i in order[:_MOST_LINES]]
        if len(order) > _MOST_LINES:
            told.append((text("{n:,} more {n:value|values}", n=len(order) - _MOST_LINES), None, None))
    else:
        for first, last in segments(scores[:-1], weights[:-1], _MOST_LINES):
            share = weights[first:last] / max(weights[first:last].sum(), 1e-300)
            label = _between(column, model.cuts_of(feature), first, last)
            told.append((label, share @ scores[first:last], share @ deviations[first:last]))
    if weights[-1] > 0:
        told.append((text("missing"), scores[-1], deviations[-1]))
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
            label = text("{first} and {second}", first=clip(down[a], _LONGEST), second=clip(across[b], _LONGEST))
            found.append(_line(label, scores[a, b], deviations[a, b]))
    return found


def _line(label: str, scores: np.ndarray | None, deviations: np.ndarray | None) -> str:
    if scores is None or deviations is None:
        return text("  {label}", label=label)
    told = [Number(f"{score:+.3f} ± {spread:.3f}") for score, spread in zip(scores, deviations)]
    return text("  {label:<24} {scores}", label=label, scores=join(", ", told))


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


@dataclass(frozen=True, eq=False)
class TermShape:
    """What a drawing of a term needs.

    Attributes
    ----------
    name : str
    form : {"steps", "values", "cells"}
        Of a column of numbers, of a column of categories, of two columns.
    labels : list of str
        Of "values" and "cells": the values, or those of the first column.
    across : list of str
        Of "cells": the values of the second column.
    edges : float64 (n + 1,)
        Of "steps": where they begin and end; the outer ones are open, and end where a drawing ends.
    scores, deviations : float64 (n, K) or (a, b, K)
    weights : float64 (n,) or (a, b)
    missing : (float64 (K,), float64 (K,)) or None
        Score and deviation of missing values, if training rows had any.
    columns : tuple of str
        Names of the columns.
    is_date : bool
        Whether the edges are days since 1970.
    """

    name: str
    form: str
    labels: list[str]
    across: list[str]
    edges: np.ndarray
    scores: np.ndarray
    deviations: np.ndarray
    weights: np.ndarray
    missing: tuple[np.ndarray, np.ndarray] | None
    columns: tuple[str, ...]
    is_date: bool = False


def term_shape(model: Additive, term: int, most: int = 64) -> TermShape:
    """Return a term to draw.

    Parameters
    ----------
    model : Additive
    term : int
    most : int
        Most steps or values.
    """
    first, second = model.terms[term].tolist()
    scores, deviations, weights = (model.table(term, of) for of in ("scores", "deviations", "weights"))
    columns = tuple(model.features[j].name for j in (first, second) if j >= 0)
    name, none = model.name_of(term), np.zeros(0)
    if second >= 0:
        down, across = (np.flatnonzero(weights.sum(axis=axis) > 0) for axis in (1, 0))
        left, top = ([group_labels(model, j)[i] for i in own] for j, own in ((first, down), (second, across)))
        cells = np.ix_(down, across)
        return TermShape(
            name, "cells", left, top, none, scores[cells], deviations[cells], weights[cells], None, columns
        )
    missing = (scores[-1], deviations[-1]) if weights[-1] > 0 else None
    column = model.features[first]
    if column.is_nominal or column.categories:
        order = np.flatnonzero(weights[:-1] > 0)
        order = np.sort(order[np.argsort(-weights[order], kind="stable")][:most])
        if column.is_nominal:
            order = order[np.argsort(-scores[order, 0], kind="stable")]
        labels_of = slot_labels(model, first)
        shown = [labels_of[i] for i in order]
        tables = scores[order], deviations[order], weights[order]
        return TermShape(name, "values", shown, [], none, *tables, missing, columns)
    cuts = model.cuts_of(first)
    runs = segments(scores[:-1], weights[:-1], most, _DRAWN_ALIKE)
    reach = float(cuts[-1] - cuts[0]) if len(cuts) > 1 else 0.0
    # The outer steps are open: of a few cuts they are drawn as wide as the others.
    margin = reach * max(0.05, 1 / max(len(cuts) - 1, 1)) if len(cuts) < 20 else 0.05 * reach
    margin = margin or max(1.0, 0.05 * abs(float(cuts[0]))) if len(cuts) else 1.0
    ends = [cuts[end - 1] for _, end in runs[:-1]]
    low, high = (cuts[0] - margin, cuts[-1] + margin) if len(cuts) else (-margin, margin)
    middle, spread = (_joined(table[:-1], weights[:-1], runs) for table in (scores, deviations))
    heavy = np.array([weights[a:b].sum() for a, b in runs])
    edges = np.array([low, *ends, high], dtype=np.float64)
    return TermShape(name, "steps", [], [], edges, middle, spread, heavy, missing, columns, column.is_date)


def _joined(table: np.ndarray, weights: np.ndarray, runs: list[tuple[int, int]]) -> np.ndarray:
    safe = np.maximum(weights, 1e-300)
    return np.array([np.average(table[a:b], axis=0, weights=safe[a:b]) for a, b in runs])
