"""Boosted trees: the importance of the columns, the loss round by round, and the first trees as rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.forest.chapter import importances
from vaglio.messages.figures import count
from vaglio.messages.message import Number, join, text
from vaglio.messages.sentences import clip
from vaglio.model.base import plain_label
from vaglio.model.condition import condition_text

__all__ = ["boosted_parts"]

# Trees shown as rules, and points of a curve: more of either nobody reads.
_TREES = 3
_MOST_POINTS = 200


def boosted_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    each = text("one tree each") if model.outputs == 1 else text("{n:,} trees each, one per class", n=model.outputs)
    rounds = model.rounds // model.models
    sums = (
        text("The model adds up {rounds:,} {rounds:round|rounds} with {each}.", rounds=rounds, each=each)
        if model.models == 1
        else text(
            "The model is the mean of {models:,} models. Each adds up {rounds:,} {rounds:round|rounds} with {each}.",
            models=model.models,
            rounds=rounds,
            each=each,
        )
    )
    corrects = text(
        "Every tree corrects the errors that the trees before it leave; the importance of the columns summarises them."
    )
    said = [join(" ", [sums, corrects])]
    note = text("Share of each column in the gain of all splits, that is, in the decrease of the loss.")
    shares = importances(fitted, limits, text("Gain of the columns"), note)
    return said, [shares, *_staged_curves(about), *_first_trees(fitted, limits)]


def _staged_curves(about: Background) -> list[dict[str, Any]]:
    """The loss of the rows learned from and of the rows held out, after each round."""
    learner: Any = about.estimator
    learned, held = (-np.asarray(getattr(learner, name, [])) for name in ("train_score_", "validation_score_"))
    if len(held) < 2 or len(learned) != len(held):
        return []
    shown = np.unique(np.linspace(0, len(held) - 1, min(len(held), _MOST_POINTS)).astype(int))
    what = text("log loss") if learner.scoring == "loss" else text("negative {score}", score=str(learner.scoring))
    how = (
        text("five folds, each held out once")
        if learner.early_stopping in ("auto", "folds")
        else text("the hold-out set")
    )
    return [
        {
            "type": "rounds",
            "title": text("Round by round"),
            "note": text(
                "Mean {measure} after each round, on the training set and on held-out rows. The model has {n:,} "
                "{n:round|rounds}, where the loss on {held_out} is least.",
                measure=what,
                n=learner.n_iter_,
                held_out=how,
            ),
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
        head = [text("if"), text("adds to the score"), text("training rows")]
        body = [
            [
                clip(join(", ", map(condition_text, rule.conditions)) or text("always"), 200),
                Number(f"{float(rule.label):+.3f}"),
                count(round(sum(rule.covered), 1)),
            ]
            for rule in rules[: limits.rules]
        ]
        label = ""
        if fitted.classes is not None:
            label = clip(str(plain_label(fitted.classes[k if model.outputs > 1 else 1])), 40)
        notes = [text("Every row meets one of the rules of a tree. The scores of all rounds add up.")]
        if label:
            notes.append(text("A higher score makes {label} more probable.", label=label))
        if model.models > 1:
            notes.append(text("This is a tree of the first of {n:,} averaged models.", n=model.models))
        found.append(
            {
                "type": "table",
                "title": text("The first tree of {label}, as rules", label=label)
                if label
                else text("The first tree, as rules"),
                "note": join(" ", notes),
                "head": head,
                "rows": body,
                "folded": True,
            }
        )
    return found
