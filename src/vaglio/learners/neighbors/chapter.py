"""Nearest neighbours: how many rows the model stores and how they vote."""

from __future__ import annotations

from typing import Any

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.messages.message import text

_VOTES = {
    "uniform": text("all equal"),
    "distance": text("by inverse distance"),
    "squared": text("by inverse squared distance"),
}


def neighbor_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    metric = model.metric if isinstance(model.metric, str) else text("a function of the user")
    vote = _VOTES.get(model.vote, model.vote) if isinstance(model.vote, str) else text("a function of the user")
    said = text(
        "The model stores {n:,} {n:row|rows} and predicts from the {k:,} nearest to a new row (distance: {metric}; "
        "votes: {votes}). There is no structure to draw; the examples below show the neighbours.",
        n=len(model.target),
        k=model.k,
        metric=metric,
        votes=vote,
    )
    return [said], []
