"""The regions of a list of rules as one rule after the other is added; the default class holds the rest."""

from __future__ import annotations

from dataclasses import replace

from vaglio.document.animation import MAX_SHOTS, Scene, Shot, regions_of
from vaglio.plot.plane import Marks


def film_rules(scene: Scene) -> list[Shot]:
    """Make one picture per rule."""
    if scene.plane is None:
        return []
    rules = scene.estimator.rules()
    return [
        Shot(scene.say("film_rules", n=n), Marks(regions_of(scene, replace(rules, entries=rules.entries[:n]))))
        for n in range(min(len(rules), MAX_SHOTS) + 1)
    ]
