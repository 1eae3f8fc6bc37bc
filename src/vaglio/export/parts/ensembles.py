"""Forests, and models that decide together."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.part import Part, build_part, parts
from vaglio.export.parts.trees import part_of_trees


@parts.register("forest")
def _forest(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    return part_of_trees([model.tree(i, features) for i in range(model.n_trees)], features, n_classes)


@parts.register("ensemble", "voting")
def _mix(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    members, maps, classes = [], [], []
    for member in model.members:
        chosen = np.arange(len(features)) if member.features is None else member.features
        seen = tuple(features[j] for j in chosen)
        part = build_part(member.model, seen, len(member.classes) if n_classes else 0)
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
    return Part("mix", max(n_classes, 1), fields, tuple(members))
