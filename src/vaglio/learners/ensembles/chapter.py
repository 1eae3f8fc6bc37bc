"""Ensembles by their members, and the chapter of each of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits, chapters
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure
from vaglio.messages.message import Number, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.model.families import KINDS


def ensemble_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    kinds = Counter(member.model.kind for member in model.members)
    what = listed([text("{n:,} of kind {kind}", n=n, kind=kind) for kind, n in kinds.most_common(3)])
    said = [
        text("The ensemble combines {n:,} {n:model|models}: {kinds}.", n=len(model.members), kinds=what),
    ]
    weights = [member.weight for member in model.members]
    if min(weights) < max(weights):
        ends = {"low": figure(min(weights), 3), "high": figure(max(weights), 3)}
        said.append(text("The weights of the models range from {low} to {high}.", **ends))
    return said, about.maps(fitted) if set(kinds) == {"tree"} else []


def voting_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    """The members side by side, then the chapter of each of them."""
    model: Any = fitted.model
    n = len(model.members)
    if fitted.classes is None:
        return [text("{n:,} {n:learner|learners}, trained on the same rows; predictions are averaged.", n=n)], []
    said = [
        text("{n:,} {n:learner votes|learners vote}, trained on the same rows; the most frequent prediction wins.", n=n)
        if model.vote == "hard"
        else text("{n:,} {n:learner votes|learners vote}, trained on the same rows; probabilities are averaged.", n=n)
    ]
    parts = [_members_table(fitted, about)]
    for name, member in zip(model.names, model.members):
        write = chapters.find(member.model.kind) if member.model.kind in KINDS else None
        if write is None or fitted.classes is None:
            continue
        own = replace(fitted, model=member.model, classes=fitted.classes[member.classes])
        _, found = write(own, about, ChapterLimits(tree_nodes=min(limits.tree_nodes, 31), rules=20, weights=10))
        parts += [{**part, "title": join(": ", [clip(name, 40), part["title"]]), "folded": True} for part in found[:2]]
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
        correct, agrees = float(np.mean(predicted == y)), float(np.mean(predicted == together))
        shares = [Number(f"{share:.0%}"), Number(f"{correct:.1%}"), Number(f"{agrees:.1%}")]
        body.append([clip(name, 40), member.model.kind, *shares])
    right = Number(f"{np.mean(together == y):.1%}")
    body.append([text("all together"), "voting", Number("100%"), right, Number("100.0%")])
    return {
        "type": "table",
        "title": text("Members of the vote"),
        "head": [
            text("member"),
            text("kind of model"),
            text("weight"),
            text("accuracy"),
            text("agrees with the vote"),
        ],
        "rows": body,
        "note": text(
            "Measured with the final model on the {n:,} {n:row|rows} of the evaluation. Members that are wrong on "
            "different rows correct each other.",
            n=len(y),
        ),
    }
