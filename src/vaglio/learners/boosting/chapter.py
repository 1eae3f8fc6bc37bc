"""What the chapter shows of boosted trees: the loss round by round, and the first trees as rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.learners.rules.forms.rule_text import condition_text
from vaglio.messages.sentences import clip, plural
from vaglio.model.base import plain_label
from vaglio.report.format import count
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = ["first_trees", "staged_curves"]

# Trees shown as rules, and points of a curve: more of either nobody reads.
_TREES = 3
_MOST_POINTS = 200


def staged_curves(study: Study) -> list[dict[str, Any]]:
    """The loss of the rows learned from and of the rows held out, after each round."""
    learner: Any = study.selection.best_estimator
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


def first_trees(fitted: Fitted, limits: Limits) -> list[dict[str, Any]]:
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
