"""Additive models: every term is drawn, the most important first, and what was changed by hand is listed."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.additive_shape import TermShape, term_shape
from vaglio.learners.additive.model.additive_text import scale_in_words, scored_classes
from vaglio.messages.figures import figure
from vaglio.messages.sentences import clip, plural

# Steps and values of a drawing, and classes in it: a drawing of 8 classes has 20 kB.
_MOST_STEPS, _MOST_VALUES = 40, 16
_MOST_CLASSES = 8
_MOST_EDITS = 20


def additive_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model = fitted.model
    assert isinstance(model, Additive)
    scored = [clip(str(label), 40) for label in scored_classes(model, fitted.classes)]
    what = scale_in_words(model)
    of = "" if fitted.classes is None else f" of {scored[0]}" if len(scored) == 1 else " of each class"
    said = [
        f"The model starts at a score and adds what each term says to {what}{of}: these drawings are the whole model. "
        "The band around a score is two standard deviations over the bags wide on each side."
    ]
    importances = model.importances()
    order = np.argsort(-importances, kind="stable")
    shown = order[: limits.weights].tolist()
    left = model.n_terms - len(shown)
    more = f" {plural(left, 'further term')} not shown." if left else ""
    bars = {
        "type": "bars",
        "title": "Importance of the terms",
        "note": f"How far each term moves the score of a training row on average.{more}",
        "rows": [
            {"label": clip(model.name_of(t), 48), "value": float(importances[t])} for t in shown if importances[t] > 0
        ],
        "none": "No term moves the score.",
        "form": "number",
    }
    labels = scored if len(scored) > 1 else []
    terms = {
        "type": "terms",
        "title": "What each term adds",
        "note": _note(model, scored) + more,
        "labels": labels[:_MOST_CLASSES],
        "terms": [_drawn(model, t, what, scored) for t in shown],
    }
    return said, [bars, *([terms] if shown else []), *_edits(fitted)]


def _note(model: Additive, scored: list[str]) -> str:
    note = f"The score starts at {figure(float(model.intercept[0]), 3)}." if len(scored) == 1 else ""
    if len(scored) > _MOST_CLASSES:
        note += f" The first {_MOST_CLASSES} of {plural(len(scored), 'class')} are drawn."
    if (model.terms[:, 1] >= 0).any():
        note += " Pairs show only what their columns do not say alone: orange adds, blue takes away."
    return note.strip()


def _drawn(model: Additive, term: int, what: str, scored: list[str]) -> dict[str, Any]:
    """A term as plain data: at most so many steps or values, and of several classes the first ones."""
    nominal = bool(model.features[int(model.terms[term, 0])].categories)
    shape = term_shape(model, term, _MOST_VALUES if nominal else _MOST_STEPS)
    if shape.form == "cells":
        return _map(shape, what, scored)
    caption = []
    if shape.missing is not None:
        told = ", ".join(f"{score:+.2f} ± {2 * spread:.2f}" for score, spread in list(zip(*shape.missing))[:3])
        caption.append(f"missing: {told}{', …' if len(scored) > 3 else ''}")
    return {
        "form": shape.form,
        "name": clip(shape.name, 60),
        "labels": [clip(label, 40) for label in shape.labels],
        "edges": shape.edges.tolist(),
        "scores": shape.scores[:, :_MOST_CLASSES].tolist(),
        "deviations": shape.deviations[:, :_MOST_CLASSES].tolist(),
        "measure": f"added to {what}",
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
        "measure": f"added to {what}",
        "caption": [f"score of {scored[k]}"] if len(scored) > 1 else [],
    }


def _edits(fitted: Fitted) -> list[dict[str, Any]]:
    """What was changed by hand."""
    if not fitted.edits:
        return []
    rows = []
    for edit in fitted.edits[-_MOST_EDITS:]:
        before, after = (np.asarray(edit.get(side) or [[0.0]], dtype=np.float64) for side in ("before", "after"))
        spans = [f"{figure(float(t.min()), 3)} to {figure(float(t.max()), 3)}" for t in (before, after)]
        if edit.get("action") == "remove":
            spans = ["", "removed"]
        where = "" if edit.get("where") is None else clip(str(edit["where"]), 30)
        said = [clip(str(edit.get(key) or ""), 60) for key in ("term", "action")]
        rows.append([*said, where, *spans, clip(str(edit.get("reason") or ""), 80)])
    return [
        {
            "type": "table",
            "title": "Changed by hand",
            "head": ["term", "change", "where", "scores before", "after", "reason"],
            "rows": rows,
            "note": "An expert changed these terms after training. The model file keeps every changed score.",
        }
    ]
