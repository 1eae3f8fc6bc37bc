"""Gradient boosting: the first rounds with their sums, the score of a row, and the regions after each round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import AnimationContext, Frame, frames_of_rounds
from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.errors import NotSupportedError
from vaglio.learners.boosting.model import Boosted
from vaglio.learners.trees.model.rules import branch_text, test_text
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import join
from vaglio.messages.sentences import listed

# Rounds with a table of all rows, and lines of such a table.
_ROUNDS_IN_FULL = 3
_MOST_ROWS = 20


def trace_gradient_boosting(page: Page, training: Training) -> None:
    """Write the start, the gradients, splits and leaves of the first rounds, and how the score of a row adds up."""
    say = page.say
    page.section(say("The data"))
    page.text(
        say(
            "Every row has a score F. Each round fits a tree to the gradient of the loss: the leaf values, "
            "times the learning rate, are added to the scores of the rows in the leaf. The scores become "
            "probabilities p; y is 1 for the rows of the class and 0 for the others."
        )
    )
    training = _one_model(page, training)
    temperature = training.estimator.temperature_
    model = training.model.scaled(temperature)
    page.formula("p = 1/(1 + exp(−F))" if model.outputs == 1 else "p = exp(F) / Σ exp(F)")
    _rules_of_rounds(page, training, "g = p − y,  h = p·(1 − p)")
    page.text(
        say(
            "All rows start with the score of the class frequencies: F = {start}.",
            start=say.series(map(say.fixed, model.baseline)),
        )
    )
    raw, facts = model.raw(training.matrix, 0, 0), list[dict[str, Any]]()
    for number in range(model.rounds):
        if number >= training.most_steps:
            page.text(say("{n:,} more {n:round is|rounds are} not shown.", n=model.rounds - number))
            break
        page.section(say("Round {n}", n=number + 1), level=2)
        after = raw + model.raw(training.matrix, number, number + 1) - (model.baseline if number == 0 else 0.0)
        _round(page, training, model, number, raw, after, facts)
        raw = after
    page.facts["rounds"] = facts
    if temperature != 1.0:
        page.text(
            say(
                "Finally all scores are divided by {temperature}, the temperature that maximises the likelihood "
                "of held-out rows.",
                temperature=say.fixed(temperature),
            )
        )
    _score(page, training)


def _one_model(page: Page, training: Training) -> Training:
    """The training of one model: where several were averaged, only one of them can be followed."""
    if training.estimator.n_models_ == 1:
        return training
    page.text(
        page.say(
            "The model is the mean of {models} models. The trace shows one of them, trained alone "
            "(n_models=1, average_folds=False).",
            models=training.estimator.n_models_,
        )
    )
    return _alone(training)


def _rules_of_rounds(page: Page, training: Training, derivatives: str) -> None:
    """Write how a round computes its leaves and chooses its tests, with the parameters of the learner."""
    say = page.say
    page.formula(f"{derivatives},  {say('leaf')} = −Σ g / (Σ h + λ)")
    page.formula(f"{say('gain')} = (Σ g₁)²/(Σ h₁ + λ) + (Σ g₂)²/(Σ h₂ + λ) − (Σ g)²/(Σ h + λ)")
    rate = training.estimator.learning_rate
    rate = 0.05 if isinstance(rate, str) else float(rate)  # a table that can be read has few rows
    page.text(
        say(
            "The learning rate is {rate} and λ = {penalty}. A tree makes the test with the largest gain first.",
            rate=say.short(rate),
            penalty=say.short(_penalty(training)),
        )
    )
    if not _whole(training):
        page.text(
            say(
                "Each round is trained on a random {share} of the rows. The trace does not know which, so it "
                "omits the sums of the leaves; set subsample=1 to see them.",
                share=say.percent(float(training.estimator.subsample)),
            )
        )


_LOSSES = {
    "squared_error": ("F", "g = F − y,  h = 1"),
    "poisson": ("exp(F)", "g = (exp(F) − y)/ȳ,  h = exp(F)/ȳ"),
    "gamma": ("exp(F)", "g = 1 − y·exp(−F),  h = y·exp(−F)"),
}


def trace_boosted_numbers(page: Page, training: Training) -> None:
    """Write the start, the residuals, splits and leaves of the first rounds, and how the number of a row adds up."""
    say, loss = page.say, training.estimator.loss
    if loss not in _LOSSES:
        raise NotSupportedError(
            "boosting-trace-of-loss",
            "The trace of gradient boosting shows the losses {losses}; with {loss!r} the leaves are quantiles of the "
            "residuals. Choose one of these losses.",
            losses=listed(_LOSSES, quoted=True),
            loss=loss,
        )
    page.section(say("The data"))
    page.text(
        say(
            "The prediction starts at the mean. Each round fits a tree to the residuals y − F, what the rounds before "
            "it left over: the leaf values, times the learning rate, are added to the predictions F of the rows in "
            "the leaf."
        )
        if loss == "squared_error"
        else say(
            "Every row has a score F; the prediction is exp(F). Each round fits a tree to the gradient of the loss: "
            "the leaf values, times the learning rate, are added to the scores of the rows in the leaf."
        )
    )
    training = _one_model(page, training)
    model = training.model
    page.formula(f"ŷ = {_LOSSES[loss][0]}")
    _rules_of_rounds(page, training, _LOSSES[loss][1])
    page.text(say("All rows start with F = {start}.", start=say.figures(float(model.baseline[0]))))
    raw, facts = model.raw(training.matrix, 0, 0), list[dict[str, Any]]()
    for number in range(model.rounds):
        if number >= training.most_steps:
            page.text(say("{n:,} more {n:round is|rounds are} not shown.", n=model.rounds - number))
            break
        page.section(say("Round {n}", n=number + 1), level=2)
        after = raw + model.raw(training.matrix, number, number + 1) - (model.baseline if number == 0 else 0.0)
        facts.append(_round_of_numbers(page, training, number, raw[:, 0], after[:, 0]))
        raw = after
    page.facts |= {"start": float(model.baseline[0]), "rounds": facts}
    if training.row is None:
        page.text(say("Give a row to see its prediction."))
        return
    page.section(say("The prediction of the row"))
    staged = [model.raw(training.row, 0, 0), *model.staged_raw(training.row)]
    kept = [k for k in range(len(staged)) if k <= training.most_steps or k == len(staged) - 1]
    lines = [
        [str(k), say.fixed(float(staged[k][0, 0])), say.fixed(float(model.numbers(staged[k])[0]))][
            : 2 + (loss != "squared_error")
        ]
        for k in kept
    ]
    page.table([say("round"), "F", *(["exp(F)"] if loss != "squared_error" else [])], lines)
    predicted = float(model.predict(training.row)[0])
    page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
    page.facts["prediction"] = predicted


def _round_of_numbers(
    page: Page, training: Training, number: int, raw: np.ndarray, after: np.ndarray
) -> dict[str, Any]:
    """Write one round: residuals before it, its tree, and the predictions after it."""
    say, model, y, loss = page.say, training.model, training.y, training.estimator.loss
    before, new = model.numbers(raw[:, None]), model.numbers(after[:, None])
    gradient, hessian = {
        "squared_error": (before - y, np.ones(len(y))),
        # Counts are learned in units of their mean.
        "poisson": ((before - y) / training.estimator._unit, before / training.estimator._unit),
        "gamma": (1 - y / before, y / before),
    }[loss]
    in_full = number < _ROUNDS_IN_FULL
    if in_full:
        lines = [
            [str(i + 1), say.short(v), *map(say.fixed, values)]
            for i, (v, values) in enumerate(zip(y.tolist(), zip(before, y - before, gradient, hessian)))
        ]
        page.table([say("row"), "y", "ŷ", "y − ŷ", "g", "h"], lines, most=_MOST_ROWS)
    tree = model.forest.tree(number, training.features)
    sums = _NodeSums.of(tree, training, gradient * training.weight, hessian * training.weight)
    _tests(page, training, tree, sums)
    facts = _leaves(page, training, tree, sums)
    if in_full:
        leaf = tree.apply(training.matrix)
        lines = [
            [str(i + 1), str(leaf[i]), *map(say.fixed, (tree.value[leaf[i], 0], after[i], new[i], y[i] - new[i]))]
            for i in range(len(leaf))
        ]
        names = [say("row"), say("leaf"), say("value × learning rate"), "F + v", "ŷ", "y − ŷ"]
        page.table(names, lines, most=_MOST_ROWS)
    error = float(np.sqrt(np.average((y - new) ** 2, weights=training.weight)))
    page.text(
        say("After this round the root mean squared error on the training rows is {rmse}.", rmse=say.figures(error))
    )
    return {**facts, "residuals": (y - before).tolist(), "rmse": error}


def _alone(training: Training) -> Training:
    """The same training of one model, where several were averaged: only one can be followed."""
    one = clone(training.estimator).set_params(n_models=1, average_folds=False)
    if one.random_state is None:
        one.set_params(random_state=0)
    return replace(training, estimator=one.fit(training.source, training.labels))


def _penalty(training: Training) -> float:
    return float(training.estimator.l2_regularization)


def _whole(training: Training) -> bool:
    """Whether every round learns from all rows, so that its sums can be shown."""
    return float(training.estimator.subsample) >= 1.0


def _round(
    page: Page,
    training: Training,
    model: Boosted,
    number: int,
    raw: np.ndarray,
    after: np.ndarray,
    facts: list[dict[str, Any]],
) -> None:
    """Write one round: derivatives of the rows before it, its trees, and the probabilities after it."""
    say, p, new = page.say, model.probabilities(raw), model.probabilities(after)
    for k in range(model.outputs):
        column = 1 if model.outputs == 1 else k
        is_class = (training.y == column).astype(float)
        gradient, hessian = p[:, column] - is_class, p[:, column] * (1 - p[:, column])
        if model.outputs > 1:
            page.text(say("The tree of the class {label}:", label=training.classes[k]))
        if number < _ROUNDS_IN_FULL:
            lines = [
                [str(i + 1), training.classes[training.y[i]], *map(say.fixed, values)]
                for i, values in enumerate(zip(p[:, column], -gradient, gradient, hessian))
            ]
            page.table([say("row"), say("class"), "p", "y − p", "g", "h"], lines, most=_MOST_ROWS)
        tree = model.forest.tree(number * model.outputs + k, training.features)
        sums = _NodeSums.of(tree, training, gradient * training.weight, hessian * training.weight)
        _tests(page, training, tree, sums)
        facts.append(_leaves(page, training, tree, sums))
        if number < _ROUNDS_IN_FULL:
            leaf = tree.apply(training.matrix)
            lines = [
                [str(i + 1), str(leaf[i]), *map(say.fixed, (tree.value[leaf[i], 0], after[i, k], new[i, column]))]
                for i in range(len(leaf))
            ]
            names = [say("row"), say("leaf"), say("value × learning rate"), "F + v", "p(F + v)"]
            page.table(names, lines, most=_MOST_ROWS)


@dataclass(frozen=True)
class _NodeSums:
    """Rows, Σ g and Σ h of every node of a tree."""

    rows: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray

    @classmethod
    def of(cls, tree: Tree, training: Training, gradient: np.ndarray, hessian: np.ndarray) -> _NodeSums:
        leaf, n = tree.apply(training.matrix), len(tree.is_leaf)
        found = [np.bincount(leaf, part, minlength=n) for part in (np.ones(len(leaf)), gradient, hessian)]
        for node in range(n - 1, -1, -1):  # children lie behind their parents
            if not tree.is_leaf[node]:
                first = int(tree.first_child[node])
                for sums in found:
                    sums[node] = sums[first] + sums[first + 1]
        return cls(*found)

    def gain(self, node: int, penalty: float) -> float:
        """What a node gains against staying at zero."""
        return float(self.gradient[node] ** 2 / (self.hessian[node] + penalty))


def _tests(page: Page, training: Training, tree: Tree, sums: _NodeSums) -> None:
    """Write the chosen test of every inner node, with the sums of both sides and what it gains."""
    say, lines = page.say, []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        first = int(tree.first_child[node])
        test = join(" ", [test_text(tree, node, training.features), branch_text(tree, node, 0, training.features)])
        sides = [f"{say.fixed(sums.gradient[side])} / {say.fixed(sums.hessian[side])}" for side in (first, first + 1)]
        penalty = _penalty(training)
        gain = sums.gain(first, penalty) + sums.gain(first + 1, penalty) - sums.gain(node, penalty)
        lines.append([str(node), say.text(test), *(sides if _whole(training) else ["", ""]), say.fixed(gain)])
    if not lines:
        page.text(say("No test gains enough: the tree is a single leaf."))
        return
    names = [say("node"), say("test"), "Σ g₁ / Σ h₁", "Σ g₂ / Σ h₂", say("gain")]
    kept = [0, 1, 2, 3, 4] if _whole(training) else [0, 1]
    page.table([names[i] for i in kept], [[line[i] for i in kept] for line in lines], most=_MOST_ROWS)


def _leaves(page: Page, training: Training, tree: Tree, sums: _NodeSums) -> dict[str, Any]:
    """Write the leaves of a tree with the sums they come from."""
    say, found, whole = page.say, [], _whole(training)
    for node in np.flatnonzero(tree.is_leaf).tolist():
        parts = [sums.gradient[node], sums.hessian[node]] if whole else []
        found.append([str(node), str(int(sums.rows[node])), *map(say.fixed, [*parts, tree.value[node, 0]])])
    names = [say("leaf"), say("rows"), *(["Σ g", "Σ h"] if whole else []), say("value × learning rate")]
    page.table(names, found, most=_MOST_ROWS)
    leaves = np.flatnonzero(tree.is_leaf)
    return {
        "leaves": len(leaves),
        "gradient": [float(g) for g in sums.gradient[leaves]],
        "hessian": [float(h) for h in sums.hessian[leaves]],
        "values": [float(v) for v in tree.value[leaves, 0]],
    }


def _score(page: Page, training: Training) -> None:
    """Write how the score of the row adds up, and the probability it gives."""
    if training.row is None:
        return
    say, model, row = page.say, training.model, training.row
    page.section(say("The score of the row"))
    columns = [say("round"), *(["F", "p"] if model.outputs == 1 else [f"F({label})" for label in training.classes])]
    lines = [["0", *_shown(say, model, model.raw(row, 0, 0))]]
    for number, raw in enumerate(model.staged_raw(row), start=1):
        if number > training.most_steps and number < model.rounds:
            continue
        lines.append([str(number), *_shown(say, model, raw)])
    page.table(columns, lines)
    decide(page, training, model.predict_proba(row)[0])


def _shown(say: Notation, model: Boosted, raw: np.ndarray) -> list[str]:
    values = [say.fixed(value) for value in raw[0]]
    return [*values, say.fixed(float(model.probabilities(raw)[0, 1]))] if model.outputs == 1 else values


def decide(page: Page, training: Training, p: np.ndarray) -> None:
    """Write the most probable class of the row."""
    best = int(np.argmax(p))
    page.text(
        page.say("Decision: {label} ({share}).", label=training.classes[best], share=page.say.percent(float(p[best])))
    )
    page.facts |= {"probabilities": dict(zip(training.classes, p.tolist())), "decision": training.classes[best]}


def animate_gradient_boosting(context: AnimationContext) -> list[Frame]:
    """Make one picture per round."""
    if context.plane is None:
        return []
    return frames_of_rounds(context, context.estimator.staged_predict(context.like_source(context.points)))
