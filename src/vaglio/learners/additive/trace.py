"""Additive models: the step of every column in the first rounds, the terms in the end, and how a row adds up."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import fixed, percent
from vaglio.document.training import Training
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.additive_text import slot_labels

# Rounds that are shown in full: the later ones are alike.
_MOST_ROUNDS = 2
_MOST_LINES = 20


def trace_additive(page: Page, training: Training) -> None:
    """Write the steps of the first rounds, the terms of the model, and the sum of the row."""
    say, model, estimator = page.say, training.model, training.estimator
    page.section(say("data"))
    rate = estimator.learning_rate
    page.text(
        say(
            "additive_rule",
            leaves=estimator._most_leaves(len(training.y)),
            rate=f"{rate:g}",
            columns=estimator._columns_together(len(training.y)),
        )
    )
    page.formula("p = 1/(1 + exp(−F))" if model.link == "logit" else "p = exp(F) / Σ exp(F)")
    page.formula(f"g = p − y,  h = p·(1 − p),  {say('additive_part')} = −Σ g / (Σ h + {estimator.reg_lambda:g})")
    page.text(say("additive_here", bags=estimator.outer_bags, rounds=estimator.n_iter_))
    _rounds(page, training)
    _terms(page, training)
    _row(page, training)


def _rounds(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    shown = min(_MOST_ROUNDS, training.most_steps, training.estimator.n_iter_)
    facts: list[dict[str, Any]] = []
    before: list[np.ndarray] = []
    raw = np.zeros((len(training.y), model.outputs))
    # Weights of one are none: the same steps, and fewer bits.
    weight = None if (training.weight == 1).all() else training.weight
    slots = [model.slots(training.matrix, j) for j in range(len(training.features))]
    stages = training.estimator._first_rounds(training.matrix, training.y, weight, shown)
    for number, (start, tables) in enumerate(stages):
        if number == 0:
            page.text(say("boosting_start", start=", ".join(fixed(value) for value in start)))
            raw += start
        else:
            page.section(say("round", n=number), level=2)
            steps = [after - old for after, old in zip(tables, before)]
            # As many columns as share gradients at a time.
            size = training.estimator._columns_together(len(training.y))
            for first in range(0, len(steps), size):
                columns = range(first, min(len(steps), first + size))
                facts += _steps(page, training, steps, slots, model.probabilities(raw), columns)
                for j in columns:
                    raw += steps[j][:, slots[j]].T
        before = tables
    page.facts["steps"] = facts
    if training.estimator.n_iter_ > shown:
        page.text(say("folded_rounds", n=training.estimator.n_iter_ - shown))


def _steps(
    page: Page, training: Training, steps: list[np.ndarray], slots: list[np.ndarray], p: np.ndarray, columns: range
) -> list[dict[str, Any]]:
    """Write the step of each column, with the sums that it comes from."""
    say, model = page.say, training.model
    facts = []
    for k in range(model.outputs):
        column = 1 if model.link == "logit" else k
        if model.outputs > 1:
            page.text(say("additive_of_class", label=training.classes[k]))
        gradient = (p[:, column] - (training.y == column)) * training.weight
        hessian = p[:, column] * (1 - p[:, column]) * training.weight
        for j in columns:
            feature = training.features[j]
            own, values = steps[j][k], np.unique(steps[j][k][np.unique(slots[j])])
            if (values == 0).all():
                page.text(say("additive_no_step", column=feature.name))
                continue
            page.text(say("additive_column", column=feature.name, parts=len(values)))
            lines = []
            for value in values.tolist():
                rows = own[slots[j]] == value
                sums = gradient[rows].sum(), hessian[rows].sum(), value
                lines.append([_part(model, j, own == value, slots[j]), str(int(rows.sum())), *map(fixed, sums)])
                facts.append({"column": feature.name, "rows": int(rows.sum()), "step": value})
            page.table([say("additive_part"), say("col_rows_in"), "Σ g", "Σ h", say("col_leaf_value")], lines)
    return facts


def _part(model: Additive, feature: int, chosen: np.ndarray, slots: np.ndarray) -> str:
    """The values of a part: an interval, or the categories that training rows have."""
    names = slot_labels(model, feature)
    own = np.flatnonzero(chosen[:-1]).tolist()
    missing = chosen[-1] and (slots == len(chosen) - 1).any()
    if model.features[feature].is_nominal:
        seen = set(slots.tolist())
        said = [names[i] for i in own if i in seen]
    elif not own:
        said = []
    else:
        cuts = model.cuts_of(feature)
        low = "" if own[0] == 0 else f"> {cuts[own[0] - 1]:.6g}"
        high = "" if own[-1] == len(cuts) else f"<= {cuts[own[-1]]:.6g}"
        said = [", ".join(end for end in (low, high) if end) or "any value"]
    return ", ".join(said + (["?"] if missing else []))


def _terms(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    page.section(say("additive_terms"))
    rounds = training.estimator.best_iteration_[1]
    start = ", ".join(fixed(value) for value in model.intercept)
    pairs = int((model.terms[:, 1] >= 0).sum())
    page.text(say("additive_centred", start=start, terms=model.n_terms, pairs=pairs, pair_rounds=rounds))
    importances = model.importances()
    lines = [[model.name_of(t), fixed(importances[t])] for t in np.argsort(-importances, kind="stable").tolist()]
    page.table([say("additive_term"), say("additive_importance")], lines, most=_MOST_LINES)
    page.facts["importances"] = {model.name_of(t): float(importances[t]) for t in range(model.n_terms)}


def _row(page: Page, training: Training) -> None:
    """Write what each term adds to the score of the row, and the probability it gives."""
    if training.row is None:
        return
    say, model, row = page.say, training.model, training.row
    page.section(say("boosting_sum"))
    added = model.scores[model.cells(row)[0]]
    names = ["F"] if model.outputs == 1 else [f"F({label})" for label in training.classes]
    lines = [["", *map(fixed, model.intercept)]]
    lines += [[model.name_of(t), *map(fixed, added[t])] for t in range(model.n_terms)]
    total = model.raw(row)
    lines.append([say("additive_total"), *map(fixed, total[0])])
    page.table([say("additive_term"), *names], lines)
    p = model.probabilities(total)[0]
    best = int(np.argmax(p))
    page.text(say("decision_is", label=training.classes[best], share=percent(float(p[best]))))
    page.facts |= {"probabilities": dict(zip(training.classes, p.tolist())), "decision": training.classes[best]}
