"""AdaBoost and bagging: the weights, errors and votes of boosting; the samples and votes of bagging."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import fixed
from vaglio.document.training import Training
from vaglio.learners.forest.trace.random_forest import announce_winner, shared_vote
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_outline import test_text

# Rounds with a table of all weights: after these the tables only repeat the rule.
_ROUNDS_IN_FULL = 5
# Rows that are listed by number, and lines of a table of weights: more fill several pages.
_MOST_ROWS = 40


# -- boosting ----------------------------------------------------------------------------------------------------------
def trace_adaboost(page: Page, training: Training) -> None:
    """Write error, α and new weights of every round, and the weighted vote on a row."""
    say, estimator = page.say, training.estimator
    n, k = len(training.y), len(training.classes)
    page.section(say("data"))
    page.text(say("adaboost_rule", n=n))
    page.formula("α = ½·ln((1 − e)/e)" if k == 2 else "α = ½·[ln((1 − e)/e) + ln(K − 1)]")
    start = training.weight / training.weight.sum()
    weight, member, facts = start, 0, list[dict[str, Any]]()
    for number, entry in enumerate(estimator.rounds_, start=1):
        if number > training.most_steps:
            page.text(say("folded_rounds", n=len(estimator.rounds_) - number + 1))
            break
        page.section(say("round", n=number), level=2)
        if entry.alpha is None:
            page.text(say("round_reset", error=fixed(entry.error)))
            weight = start
            continue
        model = training.model.members[member]
        wrong = model.decide(training.matrix) != training.y
        weight = _round(page, training, number, model, weight, wrong, facts)
        member += 1
    page.facts["rounds"] = facts
    _boosted_vote(page, training)


def _round(
    page: Page,
    training: Training,
    number: int,
    member: Any,
    weight: np.ndarray,
    wrong: np.ndarray,
    facts: list[dict[str, Any]],
) -> np.ndarray:
    """Write one round; return the weights for the next round."""
    say, n, k = page.say, len(weight), len(training.classes)
    if isinstance(member.model, Tree) and not member.model.is_leaf[0]:
        seen = range(len(training.features)) if member.features is None else member.features
        page.text(say("round_tests", test=test_text(member.model, 0, tuple(training.features[j] for j in seen))))
    error = float(weight[wrong].sum() / weight.sum())
    page.formula(
        f"e = Σ w·[{say('wrong')}] / Σ w = {fixed(weight[wrong].sum())} / {fixed(weight.sum())} = {fixed(error)}"
    )
    least = max(error, 0.5 / n)
    plain = 0.5 * (np.log((1 - least) / least) + np.log(max(k - 1, 1)))
    alpha = float(training.estimator.learning_rate * plain)
    if least > error:
        page.text(say("error_free", error=fixed(least)))
    rate = "" if training.estimator.learning_rate == 1 else f"{fixed(training.estimator.learning_rate)}·"
    inner = f"ln((1 − {fixed(least)})/{fixed(least)})"
    worked = f"½·{inner}" if k == 2 else f"½·[{inner} + ln({k} − 1)]"
    page.formula(f"α = {rate}{worked} = {fixed(alpha)}")
    new = weight * np.exp(np.where(wrong, alpha, -alpha))
    new /= new.sum()
    facts.append({"error": error, "alpha": alpha, "wrong": (np.flatnonzero(wrong) + 1).tolist()})
    if number <= _ROUNDS_IN_FULL:
        factor = f"e^α = {fixed(np.exp(alpha))}, e^−α = {fixed(np.exp(-alpha))}"
        page.text(say("round_weights", factor=factor))
        verdict = [say("wrong" if bad else "right") for bad in wrong]
        label = [training.classes[code] for code in training.y]
        lines = [[str(i + 1), label[i], verdict[i], fixed(weight[i]), fixed(new[i])] for i in range(n)]
        columns = [say("col_row"), say("class"), say("col_answer"), say("weight"), say("new_weight")]
        page.table(columns, lines, chosen=np.flatnonzero(wrong).tolist(), most=_MOST_ROWS)
    return new


def _boosted_vote(page: Page, training: Training) -> None:
    if training.row is None:
        return
    page.section(page.say("votes"))
    sums, lines = np.zeros(len(training.classes)), []
    for number, member in enumerate(training.model.members, start=1):
        code = int(member.decide(training.row)[0])
        sums[code] += member.weight
        lines.append([str(number), training.classes[code], fixed(member.weight)])
    page.table([page.say("col_round"), page.say("class"), "α"], lines, most=training.most_steps)
    announce_winner(page, training, sums)


# -- bagging and forests -----------------------------------------------------------------------------------------------
def trace_bagging(page: Page, training: Training) -> None:
    """Write the sample of each member, and the vote on a row."""
    say, estimator, n = page.say, training.estimator, len(training.y)
    page.section(say("samples"))
    page.text(say("bagging_rule", members=len(training.model.members), n=n))
    lines = []
    for number, rows in enumerate(estimator.estimators_samples_, start=1):
        times = Counter((rows + 1).tolist())
        drawn = " ".join(f"{row}×{m}" if m > 1 else str(row) for row, m in sorted(times.items()))
        left = " ".join(str(i + 1) for i in np.setdiff1d(np.arange(n), rows))
        lines.append(
            [
                str(number),
                drawn if n <= _MOST_ROWS else str(len(times)),
                left if n <= _MOST_ROWS else str(n - len(times)),
            ]
        )
    page.table([say("col_member"), say("drawn"), say("left_out")], lines, most=training.most_steps)
    page.text(say("left_out_share"))
    page.facts["samples"] = [(rows + 1).tolist() for rows in estimator.estimators_samples_]
    if training.row is None:
        page.text(say("no_row"))
        return
    votes = [
        member.answers(training.row, training.model.vote, len(training.classes))[0] for member in training.model.members
    ]
    shared_vote(page, training, np.array(votes), training.model.vote)
