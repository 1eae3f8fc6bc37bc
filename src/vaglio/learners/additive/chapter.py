"""Additive models: every term is drawn, the most important first, and what was changed by hand is listed."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.forms import TermShape, scale_in_words, scored_classes, term_shape
from vaglio.messages.figures import figure
from vaglio.messages.message import Number, join, text
from vaglio.messages.sentences import clip

# Steps and values of a drawing, and classes in it: a drawing of 8 classes has 20 kB.
_MOST_STEPS, _MOST_VALUES = 40, 16
_MOST_CLASSES = 8
_MOST_EDITS = 20


def additive_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model = fitted.model
    assert isinstance(model, Additive)
    scored = [clip(str(label), 40) for label in scored_classes(model, fitted.classes)]
    what = scale_in_words(model)
    if fitted.classes is None:
        scale: str = what
    elif len(scored) == 1:
        scale = text("{scale} of {label}", scale=what, label=scored[0])
    else:
        scale = text("{scale} of each class", scale=what)
    said = [
        text(
            "The model starts at a score, and each term adds to {scale}. These drawings are the whole model. The band "
            "around a score is two standard deviations over the bags wide on each side.",
            scale=scale,
        )
    ]
    importances = model.importances()
    order = np.argsort(-importances, kind="stable")
    shown = order[: limits.weights].tolist()
    left = model.n_terms - len(shown)
    more = [text("{n:,} further {n:term is|terms are} not shown.", n=left)] if left else []
    moves = text("How far each term moves the score of a training row on average.")
    bars = {
        "type": "bars",
        "title": text("Importance of the terms"),
        "note": join(" ", [moves, *more]),
        "rows": [
            {"label": clip(model.name_of(t), 48), "value": float(importances[t])} for t in shown if importances[t] > 0
        ],
        "none": text("No term moves the score."),
        "form": "number",
    }
    labels = scored if len(scored) > 1 else []
    terms = {
        "type": "terms",
        "title": text("What each term adds"),
        "note": join(" ", [*_notes(model, scored), *more]),
        "labels": labels[:_MOST_CLASSES],
        "terms": [_drawn(model, t, what, scored) for t in shown],
    }
    return said, [bars, *([terms] if shown else []), *_edits(fitted)]


def _notes(model: Additive, scored: list[str]) -> list[str]:
    notes: list[str] = []
    if len(scored) == 1:
        notes.append(text("The score starts at {start}.", start=figure(float(model.intercept[0]), 3)))
    if len(scored) > _MOST_CLASSES:
        notes.append(text("The first {n:,} of {classes:,} classes are drawn.", n=_MOST_CLASSES, classes=len(scored)))
    if (model.terms[:, 1] >= 0).any():
        notes.append(
            text("Pairs show only what their columns do not add alone. Orange adds to the score, blue subtracts.")
        )
    return notes


def _drawn(model: Additive, term: int, what: str, scored: list[str]) -> dict[str, Any]:
    """A term as plain data: at most so many steps or values, and of several classes the first ones."""
    nominal = bool(model.features[int(model.terms[term, 0])].categories)
    shape = term_shape(model, term, _MOST_VALUES if nominal else _MOST_STEPS)
    if shape.form == "cells":
        return _map(shape, what, scored)
    caption = []
    if shape.missing is not None:
        told = [Number(f"{score:+.2f} ± {2 * spread:.2f}") for score, spread in list(zip(*shape.missing))[:3]]
        caption.append(text("missing: {scores}", scores=join(", ", [*told, "…"] if len(scored) > 3 else told)))
    return {
        "form": shape.form,
        "name": clip(shape.name, 60),
        "labels": [clip(label, 40) for label in shape.labels],
        "edges": shape.edges.tolist(),
        "scores": shape.scores[:, :_MOST_CLASSES].tolist(),
        "deviations": shape.deviations[:, :_MOST_CLASSES].tolist(),
        "measure": text("added to {scale}", scale=what),
        "dates": shape.is_date,
        "caption": caption,
    }


def _map(shape: TermShape, what: str, scored: list[str]) -> dict[str, Any]:
    """A pair; of several classes the one whose scores it moves most."""
    k = int(np.argmax(np.ptp(shape.scores.reshape(-1, shape.scores.shape[-1]), axis=0)))
    return {
        "form": "cells",
        "name": clip(shape.name, 60),
        "columns": [clip(name, 40) for name in shape.columns],
        "labels": [clip(label, 40) for label in shape.labels],
        "across": [clip(label, 40) for label in shape.across],
        "scores": shape.scores[:, :, k].tolist(),
        "measure": text("added to {scale}", scale=what),
        "caption": [text("score of {label}", label=scored[k])] if len(scored) > 1 else [],
    }


def _edits(fitted: Fitted) -> list[dict[str, Any]]:
    """What was changed by hand."""
    if not fitted.edits:
        return []
    rows = []
    for edit in fitted.edits[-_MOST_EDITS:]:
        before, after = (np.asarray(edit.get(side) or [[0.0]], dtype=np.float64) for side in ("before", "after"))
        spans: list[str] = [
            text("{low} to {high}", low=figure(float(t.min()), 3), high=figure(float(t.max()), 3))
            for t in (before, after)
        ]
        if edit.get("action") == "remove":
            spans = ["", text("removed")]
        where = "" if edit.get("where") is None else clip(str(edit["where"]), 30)
        said = [clip(str(edit.get(key) or ""), 60) for key in ("term", "action")]
        rows.append([*said, where, *spans, clip(str(edit.get("reason") or ""), 80)])
    return [
        {
            "type": "table",
            "title": text("Changed by hand"),
            "head": [
                text("term"),
                text("change"),
                text("where"),
                text("scores before"),
                text("scores after"),
                text("reason"),
            ],
            "rows": rows,
            "note": text("An expert changed these terms after training. The model file keeps every changed score."),
        }
    ]
