"""Nearest neighbours: how many rows the model stores and how they vote."""

from __future__ import annotations

from typing import Any

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.messages.sentences import plural


def neighbor_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    metric = model.metric if isinstance(model.metric, str) else "a function of the user"
    vote = model.vote if isinstance(model.vote, str) else "a function of the user"
    return [
        f"The model stores {plural(len(model.target), 'row')} and predicts from the {model.k} nearest to a new row "
        f"(distance: {metric}; votes: {vote}). There is no structure to draw; the examples below show the neighbours."
    ], []
