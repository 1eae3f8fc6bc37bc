"""Nearest neighbours: what is kept, and how the neighbours of a row are found and counted."""

from __future__ import annotations

from typing import Any

from vaglio.fitted import Fitted
from vaglio.report.inside._chapter import chapters
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import plural


@chapters.register("neighbors")
def neighbor_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    metric = model.metric if isinstance(model.metric, str) else "a function of its own"
    vote = model.vote if isinstance(model.vote, str) else "a function of its own"
    return [
        f"It keeps {plural(len(model.target), 'row')} and asks the {model.k} nearest to a new one (distance: {metric}; "
        f"votes: {vote}). There is nothing to draw: every answer is its neighbours, as the examples below show."
    ], []
