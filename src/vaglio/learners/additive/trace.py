"""Additive models: the step of every column in the first rounds, the terms in the end, and how a row adds up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.learners.additive.estimators.bags import columns_together, slot_weights
from vaglio.learners.additive.model.additive import Additive, slot_starts
from vaglio.learners.additive.model.forms import slot_labels
from vaglio.learners.boosting.trace import decide
from vaglio.learners.inputs import believed_columns
from vaglio.messages.figures import moment

# Rounds that are shown in full: the later ones are alike.
_MOST_ROUNDS = 2
_MOST_LINES = 20


def trace_additive(page: Page, training: Training) -> None:
    """Write the steps of the first rounds, the terms of the model, and the sum of the row."""
    say, model, estimator = page.say, training.model, training.estimator
    page.section(say("The data"))
    rate = estimator.learning_rate
    page.text(
        say(
            "The score F of a row is a sum with one term per column, read from a table. In each round every "
            "column in turn takes a step: its values are cut into at most {leaves} parts, chosen by the "
            "gradients g and Hessians h of the rows. The step of a part, times the learning rate {rate}, is "
            "added to the table of the column. Gradients are recomputed after every {columns:,} "
            "{columns:column|columns}.",
            leaves=estimator._most_leaves(len(training.y)),
            rate=say.number(rate, "g"),
            columns=columns_together(rate, len(training.y)),
        )
    )
    page.formula("p = 1/(1 + exp(−F))" if model.link == "logit" else "p = exp(F) / Σ exp(F)")
    page.formula(f"g = p − y,  h = p·(1 − p),  {say('part')} = −Σ g / (Σ h + {say.number(estimator.reg_lambda, 'g')})")
    page.text(
        say(
            "The first rounds are shown on all rows. The model is the mean of {bags:,} {bags:bag|bags}, each "
            "trained without some of the rows. Its number of rounds, {rounds:,}, has the lowest loss on the "
            "held-out rows.",
            bags=estimator.outer_bags,
            rounds=estimator.n_iter_,
        )
    )
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
            page.text(
                say(
                    "All rows start with the score of the class frequencies: F = {start}.",
                    start=say.series(map(say.fixed, start)),
                )
            )
            raw += start
        else:
            page.section(say("Round {n}", n=number), level=2)
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
        page.text(say("{n:,} more {n:round is|rounds are} not shown.", n=training.estimator.n_iter_ - shown))


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
            page.text(say("The score of the class {label}:", label=training.classes[k]))
        gradient = (p[:, column] - (training.y == column)) * training.weight
        hessian = p[:, column] * (1 - p[:, column]) * training.weight
        for j in columns:
            feature = training.features[j]
            own, values = steps[j][k], np.unique(steps[j][k][np.unique(slots[j])])
            if (values == 0).all():
                page.text(say("{column}: no cut reduces the loss.", column=feature.name))
                continue
            page.text(say("{column}: a step in {parts:,} {parts:part|parts}.", column=feature.name, parts=len(values)))
            lines = []
            for value in values.tolist():
                rows = own[slots[j]] == value
                sums = gradient[rows].sum(), hessian[rows].sum(), value
                lines.append(
                    [_part(say, model, j, own == value, slots[j]), str(int(rows.sum())), *map(say.fixed, sums)]
                )
                facts.append({"column": feature.name, "rows": int(rows.sum()), "step": value})
            page.table([say("part"), say("rows"), "Σ g", "Σ h", say("value × learning rate")], lines)
    return facts


def _part(say: Notation, model: Additive, feature: int, chosen: np.ndarray, slots: np.ndarray) -> str:
    """The values of a part: an interval, or the categories that training rows have."""
    names = [say.text(name) for name in slot_labels(model, feature)]
    own = np.flatnonzero(chosen[:-1]).tolist()
    missing = chosen[-1] and (slots == len(chosen) - 1).any()
    if model.features[feature].is_nominal:
        seen = set(slots.tolist())
        said = [names[i] for i in own if i in seen]
    elif not own:
        said = []
    else:
        known = model.features[feature]
        cuts = [moment(cut) if known.is_date else say.number(cut, ".6g") for cut in model.cuts_of(feature).tolist()]
        low = "" if own[0] == 0 else f"> {cuts[own[0] - 1]}"
        high = "" if own[-1] == len(cuts) else f"≤ {cuts[own[-1]]}"
        said = [say.series(end for end in (low, high) if end) or say("any value")]
    return say.series(said + (["?"] if missing else []))


def _terms(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    page.section(say("The terms of the model"))
    rounds = training.estimator.best_iteration_[1]
    start = say.series(map(say.fixed, model.intercept))
    pairs = int((model.terms[:, 1] >= 0).sum())
    page.text(
        say(
            "Finally each term is centred: its mean moves into the intercept, which is {start}. The model has"
            " {terms:,} {terms:term|terms}, {pairs:,} of them pairs of columns, after {pair_rounds:,} "
            "{pair_rounds:round|rounds} for pairs.",
            start=start,
            terms=model.n_terms,
            pairs=pairs,
            pair_rounds=rounds,
        )
    )
    importances = model.importances()
    lines = [[model.name_of(t), say.fixed(importances[t])] for t in np.argsort(-importances, kind="stable").tolist()]
    page.table([say("term"), say("mean absolute value")], lines, most=_MOST_LINES)
    page.facts["importances"] = {model.name_of(t): float(importances[t]) for t in range(model.n_terms)}


def _row(page: Page, training: Training) -> None:
    """Write what each term adds to the score of the row, and the probability it gives."""
    if training.row is None:
        return
    say, model, row = page.say, training.model, training.row
    page.section(say("The score of the row"))
    added = model.scores[model.cells(row)[0]]
    names = ["F"] if model.outputs == 1 else [f"F({label})" for label in training.classes]
    lines = [["", *map(say.fixed, model.intercept)]]
    lines += [[model.name_of(t), *map(say.fixed, added[t])] for t in range(model.n_terms)]
    total = model.raw(row)
    lines.append([say("sum"), *map(say.fixed, total[0])])
    page.table([say("term"), *names], lines)
    decide(page, training, model.probabilities(total)[0])
