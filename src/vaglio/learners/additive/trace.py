"""Additive models: the step of every column in the first rounds, the terms in the end, and how a row adds up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.document.document import Page
from vaglio.document.notation import fixed
from vaglio.document.training import Training
from vaglio.learners.additive.estimators.bags import columns_together, slot_weights
from vaglio.learners.additive.model.additive import Additive, slot_starts
from vaglio.learners.additive.model.forms import slot_labels
from vaglio.learners.boosting.trace import decide
from vaglio.learners.inputs import believed_columns

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
            columns=columns_together(rate, len(training.y)),
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
    for number, (start, tables) in enumerate(_first_rounds(training, weight, shown)):
        if number == 0:
            page.text(say("boosting_start", start=", ".join(fixed(value) for value in start)))
            raw += start
        else:
            page.section(say("round", n=number), level=2)
            steps = [after - old for after, old in zip(tables, before)]
            # As many columns as share gradients at a time.
            size = columns_together(training.estimator.learning_rate, len(training.y))
            for first in range(0, len(steps), size):
                columns = range(first, min(len(steps), first + size))
                facts += _steps(page, training, steps, slots, model.probabilities(raw), columns)
                for j in columns:
                    raw += steps[j][:, slots[j]].T
        before = tables
    page.facts["steps"] = facts
    if training.estimator.n_iter_ > shown:
        page.text(say("folded_rounds", n=training.estimator.n_iter_ - shown))


def _first_rounds(
    training: Training, weight: np.ndarray | None, rounds: int
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield where scores start and the tables of the columns after 0, 1, … rounds on all rows, without bags."""
    estimator, matrix, y = training.estimator, training.matrix, training.y
    loss, _, outputs = estimator._kernel_loss()
    table = estimator._binned(matrix, 0)
    start = slot_starts(matrix.features, np.cumsum([0, *map(len, table.thresholds)]))
    slots = [table.bins(j) for j in range(matrix.n_features)]
    counts = slot_weights(slots, matrix.features, table.thresholds, None)
    believed = believed_columns(estimator, matrix, y, weight)
    config = estimator._config(matrix.features, matrix.n_rows, believed, loss, counts)
    target, held = np.asarray(y, dtype=np.float64), np.zeros((1, len(y)), np.uint8)
    trainer = _core.AdditiveTrainer(table, loss, target, outputs, weight, held, config)
    for _ in range(rounds + 1):
        found = [trainer.features[0][:, a:b].copy() for a, b in zip(start[:-1].tolist(), start[1:].tolist())]
        yield trainer.baseline[0, :, 0], found
        trainer.boost(_core.AdditiveStopping(max_rounds=1, interval=1))


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
    decide(page, training, model.probabilities(total)[0])
