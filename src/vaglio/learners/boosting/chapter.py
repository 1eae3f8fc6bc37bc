"""Boosted trees: the importance of the columns, the loss round by round, and the first trees as rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.forest.chapter import importances
from vaglio.messages.figures import count
from vaglio.messages.sentences import clip, plural
from vaglio.model.base import plain_label
from vaglio.model.condition_text import condition_text

__all__ = ["boosted_parts"]

# Trees shown as rules, and points of a curve: more of either nobody reads.
_TREES = 3
_MOST_POINTS = 200


def boosted_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    each = "one tree each" if model.outputs == 1 else f"{model.outputs} trees each, one per class"
    who = "The model adds" if model.models == 1 else f"The model is the mean of {model.models} models. Each adds"
    said = [
        f"{who} up {plural(model.rounds // model.models, 'round')} with {each}. Every tree corrects what the trees "
        "before it leave over; the importance of the columns summarises them."
    ]
    note = "Share of each column in the gain of all splits, that is in the decrease of the loss."
    shares = importances(fitted, limits, "Gain of the columns", note)
    return said, [shares, *_staged_curves(about), *_first_trees(fitted, limits)]


def _staged_curves(about: Background) -> list[dict[str, Any]]:
    """The loss of the rows learned from and of the rows held out, after each round."""
    learner: Any = about.estimator
    learned, held = (-np.asarray(getattr(learner, name, [])) for name in ("train_score_", "validation_score_"))
    if len(held) < 2 or len(learned) != len(held):
        return []
    shown = np.unique(np.linspace(0, len(held) - 1, min(len(held), _MOST_POINTS)).astype(int))
    what = "log loss" if learner.scoring == "loss" else f"negative {learner.scoring}"
    how = "five folds, each held out once" if learner.early_stopping in ("auto", "folds") else "the rows held out"
    return [
        {
            "type": "rounds",
            "title": "Round by round",
            "note": f"Mean {what} after each round, of the rows learned from and of rows held out. The model has "
            f"{plural(learner.n_iter_, 'round')}, where the loss of {how} is least.",
            "rounds": shown.tolist(),
            "learned": learned[shown].round(6).tolist(),
            "held": held[shown].round(6).tolist(),
            "chosen": learner.n_iter_,
            "measure": what,
        }
    ]


def _first_trees(fitted: Fitted, limits: ChapterLimits) -> list[dict[str, Any]]:
    """The trees of the first round as rules: under which conditions, how much is added to which score."""
    model: Any = fitted.model
    features, found = fitted.codebook.features, []
    for k in range(min(_TREES, model.outputs)):
        rules = list(model.forest.tree(k, features).rules(features, None))
        head = ["if", "adds to the score", "training rows"]
        body = [
            [
                clip(" and ".join(condition_text(c) for c in rule.conditions) or "always", 200),
                f"{float(rule.label):+.3f}",
                count(round(sum(rule.covered), 1)),
            ]
            for rule in rules[: limits.rules]
        ]
        label = "" if fitted.classes is None else str(plain_label(fitted.classes[k if model.outputs > 1 else 1]))
        found.append(
            {
                "type": "table",
                "title": f"The first tree{f' of {clip(label, 40)}' if label else ''}, as rules",
                "note": "Every row meets one of the rules of a tree. The scores of all rounds add up"
                + (f"; a higher score makes {clip(label, 40)} more probable." if label else ".")
                + (f" This is a tree of the first of {model.models} averaged models." if model.models > 1 else ""),
                "head": head,
                "rows": body,
                "folded": True,
            }
        )
    return found
