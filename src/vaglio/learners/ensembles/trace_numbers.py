"""Ensembles of numbers worked out: the mean of bagging, the rounds of AdaBoost.R2, and a vote by mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.ensembles.trace import write_samples, write_stacking
from vaglio.learners.forest.trace import write_mean
from vaglio.runtime.seeds import seed_of

# Rounds with a table of all rows, and lines of such a table.
_ROUNDS_IN_FULL = 5
_MOST_ROWS = 40
_LOSSES = {"linear": "Lᵢ = |eᵢ|/E", "square": "Lᵢ = (eᵢ/E)²", "exponential": "Lᵢ = 1 − exp(−|eᵢ|/E)"}


def trace_bagging_numbers(page: Page, training: Training) -> None:
    """Write the sample of each member, and the mean for a row."""
    write_samples(page, training)
    if training.row is None:
        page.text(page.say("Give a row to see its prediction."))
        return
    write_mean(page, training, training.model.said(training.row)[0])


def trace_voting_numbers(page: Page, training: Training) -> None:
    """Write the error of each member and of their mean, and the mean for a row."""
    say, model, y = page.say, training.model, training.y
    page.section(say("Members"))
    page.text(
        say(
            "{members} different learners, each trained on the same {n} rows. Their weighted mean is the prediction.",
            members=len(model.names),
            n=len(y),
        )
    )
    said = np.stack([member.answers(training.matrix, model.vote, 0)[:, 0] for member in model.members])
    errors = [float(np.sqrt(np.mean((one - y) ** 2))) for one in said]
    together = float(np.sqrt(np.mean((model.shares @ said - y) ** 2)))
    lines = [[name, say.fixed(w), say.figures(e)] for name, w, e in zip(model.names, model.shares, errors)]
    page.table([say("member"), say("weight"), "RMSE"], lines, say("Errors on the training rows"))
    page.text(say("The weighted mean of all has a root mean squared error of {rmse}.", rmse=say.figures(together)))
    page.facts |= {"errors": dict(zip(model.names, errors)), "mean_error": together}
    write_stacking(page, training)
    if training.row is None:
        page.text(say("Give a row to see its prediction."))
        return
    answers = np.array([float(member.answers(training.row, model.vote, 0)[0, 0]) for member in model.members])
    write_mean(page, training, answers, np.asarray(model.shares))


# -- AdaBoost.R2 -------------------------------------------------------------------------------------------------------
def trace_adaboost_numbers(page: Page, training: Training) -> None:
    """Write losses, β and new weights of every round, and the weighted median for a row."""
    say, estimator, n = page.say, training.estimator, len(training.y)
    page.section(say("The data"))
    page.text(
        say(
            "Every row starts with weight 1/{n}. A round draws {n} rows by their weights, trains a member on them "
            "and takes its errors eᵢ on all rows; E is the largest. The larger its loss, the more of its weight a row "
            "keeps.",
            n=n,
        )
    )
    page.formula(f"{_LOSSES[estimator.loss]},  L̄ = Σ wᵢ·Lᵢ,  β = L̄/(1 − L̄)")
    rate = "" if estimator.learning_rate == 1 else f"{say.short(float(estimator.learning_rate))}·"
    page.formula(f"wᵢ ← wᵢ·β^({rate}(1 − Lᵢ)) / Σ,  α = {rate}ln(1/β)")
    weight, facts = training.weight / training.weight.sum(), list[dict[str, Any]]()
    for number, member in enumerate(training.model.members, start=1):
        if number > training.most_steps:
            left = len(training.model.members) - number + 1
            page.text(say("{n:,} more {n:round is|rounds are} not shown.", n=left))
            break
        page.section(say("Round {n}", n=number), level=2)
        said = member.answers(training.matrix, "median", 0)[:, 0]
        weight = _round(page, training, number, said, weight, facts)
    page.facts["rounds"] = facts
    if training.row is None:
        page.text(say("Give a row to see its prediction."))
        return
    _median(page, training)


def _round(
    page: Page, training: Training, number: int, said: np.ndarray, weight: np.ndarray, facts: list[dict[str, Any]]
) -> np.ndarray:
    """Write one round; return the weights for the next one."""
    say, estimator, n = page.say, training.estimator, len(training.y)
    random = np.random.default_rng([seed_of(estimator.random_state), number - 1])
    random.integers(2**31)  # the seed of the member comes first
    drawn = np.sort(random.choice(n, n, p=weight) + 1)
    if n <= _MOST_ROWS:
        times = zip(*np.unique(drawn, return_counts=True))
        page.text(say("Rows drawn: {rows}.", rows=" ".join(f"{row}×{m}" if m > 1 else str(row) for row, m in times)))
    errors = np.abs(training.y - said)
    share = errors / errors.max() if errors.max() > 0 else errors
    loss = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[estimator.loss]
    mean = float(weight @ loss)
    beta = max(mean, 1e-300) / max(1 - mean, 1e-300)
    page.formula(f"L̄ = {say.figures(mean)},  β = {say.figures(mean)}/(1 − {say.figures(mean)}) = {say.figures(beta)}")
    alpha = float(training.model.members[number - 1].weight)
    page.formula(f"α = {say.fixed(alpha)}")
    new = weight * beta ** (float(estimator.learning_rate) * (1 - loss))
    new = new / new.sum() if new.sum() > 0 else weight
    facts.append({"loss": mean, "beta": beta, "alpha": alpha, "drawn": drawn.tolist()})
    if number <= _ROUNDS_IN_FULL:
        lines = [
            [str(i + 1), say.short(y), *map(say.fixed, values)]
            for i, (y, values) in enumerate(zip(training.y.tolist(), zip(said, errors, loss, weight, new)))
        ]
        columns = [say("row"), "y", "ŷ", "|e|", "L", say("weight"), say("new weight")]
        page.table(columns, lines, chosen=[int(np.argmax(errors))], most=_MOST_ROWS)
    return np.asarray(new)


def _median(page: Page, training: Training) -> None:
    """Write the members in the order of their predictions; the one that reaches half the weight decides."""
    say, model = page.say, training.model
    page.section(say("The weighted median"))
    page.text(
        say("The members are ordered by their predictions. The first that reaches half of the weight α is taken.")
    )
    said = model.said(training.row)
    order, alphas = np.argsort(said[0], kind="stable"), np.array([member.weight for member in model.members])
    reached, chosen = np.cumsum(alphas[order]), int(model.in_the_middle(said)[0])
    place = int(np.flatnonzero(order == chosen)[0])
    lines = [
        [
            str(member + 1),
            say.fixed(float(said[0, member])),
            say.fixed(float(alphas[member])),
            say.percent(float(sofar / reached[-1])),
        ]
        for member, sofar in zip(order.tolist(), reached.tolist())
    ]
    page.table([say("round"), "ŷ", "α", say("share reached")], lines, chosen=[place])
    predicted = float(said[0, chosen])
    page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
    page.facts |= {"members": said[0].tolist(), "prediction": predicted}
