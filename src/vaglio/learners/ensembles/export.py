"""Models that decide together: each as a part, and how they are combined."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.export_node import Exporter, ExportNode, build_node
from vaglio.fitted.one_row import scorers
from vaglio.learners.ensembles.model import NO_SUM


def node_of_members(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    members, maps, classes = [], [], []
    for member in model.members:
        chosen = np.arange(len(features)) if member.features is None else member.features
        seen = tuple(features[j] for j in chosen)
        part = build_node(member.model, seen, len(member.classes) if n_classes else 0)
        members.append(part)
        maps.append(chosen)
        classes.append(member.classes if n_classes else np.zeros(1, np.int64))
    hard = [n_classes > 0 and not (model.vote == "soft" and member.has_probabilities) for member in model.members]
    fields = {
        "weight": np.array([member.weight for member in model.members], dtype=np.float64),
        "hard": np.array(hard, dtype=np.int64),
        "total": float(sum(member.weight for member in model.members)),
        "map_start": np.cumsum([0, *map(len, maps)]),
        "map": np.concatenate(maps),
        "class_start": np.cumsum([0, *map(len, classes)]),
        "class_of": np.concatenate(classes),
        "widest": max(len(chosen) for chosen in maps),
        "most_outputs": max(part.outputs for part in members),
    }
    return ExportNode("mix", max(n_classes, 1), fields, tuple(members))


def compile_members(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the members compiled for single rows; None if one of them has no such form, or nothing adds up."""
    if model.vote == "median":
        return None
    numeric = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    members = []
    for member in model.members:
        seen = features if member.features is None else tuple(features[j] for j in member.features)
        compile_member = scorers.find(member.model.kind)
        scorer = None if compile_member is None else compile_member(member.model, seen)
        if scorer is None:
            return None
        chosen = set() if member.features is None else set(member.features.tolist())
        columns = [[place for place, j in enumerate(block) if j in chosen] for block in (numeric, nominal)]
        classes = member.classes.tolist() if model.n_classes else [0]
        hard = model.n_classes > 0 and not (model.vote == "soft" and member.has_probabilities)
        members.append((scorer, float(member.weight), hard, classes, *columns))
    return _core.ensemble_scorer(members, model.n_classes or 1)


def _unsupported_vote(model: Any, features: tuple[Feature, ...]) -> str | None:
    return NO_SUM if model.vote == "median" else None


EXPORTERS = {
    "ensemble": Exporter("mix", node_of_members, _unsupported_vote, build_sums=node_of_members),
    "voting": Exporter("mix", node_of_members),
}
