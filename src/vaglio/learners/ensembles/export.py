"""Forests, and models that decide together."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.part import EXPONENTIAL_OF_SCORE, IDENTITY, LOGIT, SOFTMAX_OF_SCORES, Part, build_part, parts
from vaglio.learners.additive.model.additive_trees import boosted_of
from vaglio.learners.trees.export import part_of_trees


@parts.register("forest")
def _forest(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    return _trees_of(model, range(model.n_trees), features, n_classes)


def _trees_of(forest: Any, which: range, features: tuple[Feature, ...], n_classes: int) -> Part:
    """Some of the trees of a forest, with exactly what its leaves say."""
    link = [forest.nodes["link"][forest.starts[i] : forest.starts[i + 1]] for i in which]
    said = [forest.leaf_values[np.where(each < 0, ~each, 0)] for each in link]
    return part_of_trees([forest.tree(i, features) for i in which], features, n_classes, said)


@parts.register("boosted")
def _boosted(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """One member per score; a score is where it starts and so many times the mean of its trees."""
    k = model.outputs
    members = tuple(_trees_of(model.forest, range(c, k * model.rounds, k), features, 0) for c in range(k))
    link = {"logit": LOGIT, "softmax": SOFTMAX_OF_SCORES, "identity": IDENTITY, "log": EXPONENTIAL_OF_SCORE}
    fields = {"baseline": model.baseline, "rounds": model.rounds, "link": link[model.link]}
    return Part("boosted", max(n_classes, 1), fields, members)


@parts.register("additive")
def _additive(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    return _boosted(boosted_of(model), features, n_classes)


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
