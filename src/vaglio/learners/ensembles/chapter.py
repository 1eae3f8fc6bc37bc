"""Ensembles by their members, and the chapter of each of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits, chapters
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure
from vaglio.messages.sentences import clip, plural
from vaglio.model.families import KINDS


def ensemble_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    kinds = Counter(member.model.kind for member in model.members)
    what = " and ".join(f"{n} of kind {kind}" for kind, n in kinds.most_common(3))
    said = [f"The ensemble combines {plural(len(model.members), 'model')}: {what}."]
    weights = [member.weight for member in model.members]
    if min(weights) < max(weights):
        said.append(f"The weights of the models range from {figure(min(weights), 3)} to {figure(max(weights), 3)}.")
    return said, about.maps(fitted) if set(kinds) == {"tree"} else []


def voting_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    """The members side by side, then the chapter of each of them."""
    model: Any = fitted.model
    how = "the class that most of them predict wins" if model.vote == "hard" else "their probabilities are averaged"
    said = [f"{plural(len(model.members), 'learner')} vote, trained on the same rows; {how}."]
    parts = [_members_table(fitted, about)]
    for name, member in zip(model.names, model.members):
        write = chapters.find(member.model.kind) if member.model.kind in KINDS else None
        if write is None or fitted.classes is None:
            continue
        own = replace(fitted, model=member.model, classes=fitted.classes[member.classes])
        _, found = write(own, about, ChapterLimits(tree_nodes=min(limits.tree_nodes, 31), rules=20, weights=10))
        parts += [{**part, "title": f"{clip(name, 40)}: {part['title']}", "folded": True} for part in found[:2]]
    return said, parts


def _members_table(fitted: Fitted, about: Background) -> dict[str, Any]:
    """Name, kind and weight of each member, how often it is right, and how often it agrees with the vote."""
    model: Any = fitted.model
    X, y = about.rows()
    matrix = fitted.codebook.encode(X)
    together = fitted.predict_encoded(matrix)
    body = []
    for name, member, share in zip(model.names, model.members, model.shares):
        predicted = fitted.classes[member.decide(matrix)]  # type: ignore[index]
        right, agrees = float(np.mean(predicted == y)), float(np.mean(predicted == together))
        body.append([clip(name, 40), member.model.kind, f"{share:.0%}", f"{right:.1%}", f"{agrees:.1%}"])
    right = float(np.mean(together == y))
    body.append(["all together", "voting", "100%", f"{right:.1%}", "100.0%"])
    return {
        "type": "table",
        "title": "Members of the vote",
        "head": ["member", "kind of model", "weight", "right", "agrees with the vote"],
        "rows": body,
        "note": f"On the {plural(len(y), 'row')} of the evaluation, by the final model. Members that are wrong on "
        "different rows correct each other.",
    }
