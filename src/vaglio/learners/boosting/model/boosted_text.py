"""The first trees of boosting as rules, for reading: under which conditions how much is added to which score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.messages.sentences import clip, plural
from vaglio.model.base import plain_label
from vaglio.model.condition_text import condition_text

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.boosting.model.boosted import Boosted

__all__ = ["first_trees_text"]

# Trees of each score: later ones correct what these leave over, and nobody reads hundreds.
_TREES = 3
_SCALES = {"identity": "the prediction", "log": "the logarithm of the prediction"}


def first_trees_text(model: Boosted, features: tuple[Feature, ...], classes: np.ndarray | None) -> str:
    """Return where each score starts and the rules of its first trees; a row meets one rule of each tree."""
    lines = [
        f"{plural(model.forest.n_trees, 'tree')}, whose values add up to {_SCALES.get(model.link, 'log-odds')}; the "
        "first of them as rules.",
        "A row meets one rule of each tree; the program forms (sql, python) have all of them.",
    ]
    if model.models > 1:
        lines.append(
            f"The model is the mean of {model.models} models: the trees below are the first of one of them, and "
            f"their values are divided by {model.models} already."
        )
    for k, start in enumerate(model.baseline.tolist()):
        label = "" if classes is None else f" of {clip(str(plain_label(classes[k if model.outputs > 1 else 1])), 40)}"
        lines += ["", f"score{label}: start {start:+.4g}"]
        for i in range(min(_TREES, model.rounds // model.models)):
            lines.append(f"tree {i + 1}{label}")
            # The models take turns, round by round.
            for rule in model.forest.tree(i * model.models * model.outputs + k, features).rules(features, None):
                told = " AND ".join(condition_text(condition) for condition in rule.conditions)
                rows = f"{round(sum(rule.covered), 1):g}"
                lines.append(f"  {f'IF {told} THEN' if told else 'ALWAYS'} {float(rule.label):+.4g}  [{rows} rows]")
    return "\n".join(lines) + "\n"
