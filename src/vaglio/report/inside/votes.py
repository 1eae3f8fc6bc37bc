"""Models that let others vote: neighbours and ensembles."""

from __future__ import annotations

from collections import Counter
from typing import Any

from vaglio.fitted import Fitted
from vaglio.report.format import figure
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import plural

__all__ = ["ensemble_parts", "neighbor_parts"]


def neighbor_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    metric = model.metric if isinstance(model.metric, str) else "a function of its own"
    vote = model.vote if isinstance(model.vote, str) else "a function of its own"
    return [
        f"It keeps {plural(len(model.target), 'row')} and asks the {model.k} nearest to a new one (distance: {metric}; "
        f"votes: {vote}). There is nothing to draw: every answer is its neighbours, as the examples below show."
    ], []


def ensemble_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    kinds = Counter(member.model.kind for member in model.members)
    what = " and ".join(f"{n} of the kind {kind}" for kind, n in kinds.most_common(3))
    said = [f"{plural(len(model.members), 'model')} vote: {what}."]
    weights = [member.weight for member in model.members]
    if min(weights) < max(weights):
        said.append(f"Their votes weigh from {figure(min(weights), 3)} to {figure(max(weights), 3)}.")
    return said, []
