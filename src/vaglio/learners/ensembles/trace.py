"""Ensembles worked out: the samples of bagging, the rounds of AdaBoost, and a vote of different learners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp, prod
from typing import Any

import numpy as np

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame, frames_of_rounds
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.ensembles.estimators.stacking import FOLDS, error_products
from vaglio.learners.forest.trace import announce_winner, shared_vote
from vaglio.learners.trees.model.rules import test_text
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.sentences import listed
from vaglio.runtime.seeds import seed_of

# Rounds with a table of all weights: after these the tables only repeat the rule.
_ROUNDS_IN_FULL = 5
# Rows that are listed by number, and lines of a table of weights: more fill several pages. Rows that a member of a vote
# predicts wrong stand beside other columns.
_MOST_ROWS = 40
_MOST_WRONG = 20
# Members whose 2^n ways to be right and wrong are listed.
_MOST_LISTED = 5


# -- boosting ----------------------------------------------------------------------------------------------------------
def trace_adaboost(page: Page, training: Training) -> None:
    """Write error, α and new weights of every round, and the weighted vote on a row."""
    say, estimator = page.say, training.estimator
    n, k = len(training.y), len(training.classes)
    page.section(say("The data"))
    page.text(
        say(
            "Every row starts with weight 1/{n}. A round with weighted error e votes with weight α. The "
            "weights of the rows it misclassifies are multiplied by e^α, the others by e^−α, and then all "
            "weights are divided by their sum.",
            n=n,
        )
    )
    page.formula("α = ½·ln((1 − e)/e)" if k == 2 else "α = ½·[ln((1 − e)/e) + ln(K − 1)]")
    start, resets = training.weight / training.weight.sum(), int(estimator.max_resets)
    weight, member, facts = start, 0, list[dict[str, Any]]()
    for number, entry in enumerate(estimator.rounds_, start=1):
        if number > training.most_steps:
            page.text(say("{n:,} more {n:round is|rounds are} not shown.", n=len(estimator.rounds_) - number + 1))
            break
        page.section(say("Round {n}", n=number), level=2)
        if estimator.sampling == "resample":
            _sample(page, training, weight, number)
        if entry.alpha is None:
            page.text(
                say(
                    "Error {error}: no better than chance. The round is discarded and all weights become equal again.",
                    error=say.fixed(entry.error),
                )
            )
            if number == len(estimator.rounds_):
                page.text(say("No further reset is allowed (max_resets={n}), so training stops here.", n=resets))
            weight = start
            continue
        model = training.model.members[member]
        wrong = model.decide(training.matrix) != training.y
        weight = _round(page, training, number, model, weight, wrong, facts)
        member += 1
    page.facts["rounds"] = facts
    _boosted_vote(page, training)


def _sample(page: Page, training: Training, weight: np.ndarray, number: int) -> None:
    """Write the rows that a round drew by weight, as the learner drew them."""
    n = len(weight)
    random = np.random.default_rng([seed_of(training.estimator.random_state), number - 1])
    times = Counter((random.choice(n, n, p=weight) + 1).tolist())
    page.facts.setdefault("samples", []).append(sorted(times.elements()))
    page.text(page.say("The member is trained on {n:,} rows drawn with replacement, by their weights.", n=n))
    if n <= _MOST_ROWS:
        drawn = " ".join(f"{row}×{m}" if m > 1 else str(row) for row, m in sorted(times.items()))
        page.text(page.say("Rows drawn: {rows}.", rows=drawn))


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
        page.text(
            say("The member tests {test}.", test=test_text(member.model, 0, tuple(training.features[j] for j in seen)))
        )
    page.about_rows(np.flatnonzero(wrong))
    error = float(weight[wrong].sum() / weight.sum())
    worked = f"{say.fixed(weight[wrong].sum())} / {say.fixed(weight.sum())}"
    page.formula(f"e = Σ w·[{say('wrong')}] / Σ w = {worked} = {say.fixed(error)}")
    least = max(error, 0.5 / n)
    plain = 0.5 * (np.log((1 - least) / least) + np.log(max(k - 1, 1)))
    alpha = float(training.estimator.learning_rate * plain)
    if least > error:
        page.text(
            say(
                "There is no error. The error of half a row, {error}, is used instead, so that α stays finite.",
                error=say.fixed(least),
            )
        )
    rate = "" if training.estimator.learning_rate == 1 else f"{say.fixed(training.estimator.learning_rate)}·"
    inner = f"ln((1 − {say.fixed(least)})/{say.fixed(least)})"
    worked = f"½·{inner}" if k == 2 else f"½·[{inner} + ln({k} − 1)]"
    page.formula(f"α = {rate}{worked} = {say.fixed(alpha)}")
    new = weight * np.exp(np.where(wrong, alpha, -alpha))
    new /= new.sum()
    facts.append({"error": error, "alpha": alpha, "wrong": (np.flatnonzero(wrong) + 1).tolist()})
    if number <= _ROUNDS_IN_FULL:
        factor = say.series([f"e^α = {say.fixed(np.exp(alpha))}", f"e^−α = {say.fixed(np.exp(-alpha))}"])
        page.text(say("New weights: {factor}.", factor=factor))
        verdict = [(say("wrong") if bad else say("correct")) for bad in wrong]
        label = [training.classes[code] for code in training.y]
        lines = [[str(i + 1), label[i], verdict[i], say.fixed(weight[i]), say.fixed(new[i])] for i in range(n)]
        columns = [say("row"), say("class"), say("prediction"), say("weight"), say("new weight")]
        page.table(columns, lines, chosen=np.flatnonzero(wrong).tolist(), most=_MOST_ROWS)
    return new


def _boosted_vote(page: Page, training: Training) -> None:
    if training.row is None:
        return
    page.section(page.say("Votes"))
    sums, lines = np.zeros(len(training.classes)), []
    for number, member in enumerate(training.model.members, start=1):
        code = int(member.decide(training.row)[0])
        sums[code] += member.weight
        lines.append([str(number), training.classes[code], page.say.fixed(member.weight)])
    page.table([page.say("round"), page.say("class"), "α"], lines, most=training.most_steps)
    announce_winner(page, training, sums)


# -- bagging -----------------------------------------------------------------------------------------------------------
def trace_bagging(page: Page, training: Training) -> None:
    """Write the sample of each member, and the vote on a row."""
    say = page.say
    write_samples(page, training)
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
        return
    votes = [
        member.answers(training.row, training.model.vote, len(training.classes))[0] for member in training.model.members
    ]
    shared_vote(page, training, np.array(votes), training.model.vote)


def write_samples(page: Page, training: Training) -> None:
    """Write the rows that each member of bagging was trained on."""
    say, estimator, n = page.say, training.estimator, len(training.y)
    page.section(say("Samples"))
    page.text(
        say(
            "{members} members, each trained on {n} rows drawn with replacement.",
            members=len(training.model.members),
            n=n,
        )
    )
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
    page.table([say("member"), say("rows drawn"), say("left out")], lines, most=training.most_steps)
    page.text(
        say(
            "About {share:.0%} of the rows, (1 − 1/n)^n → 1/e, are left out of each sample. They give the "
            "out-of-bag estimate.",
            share=exp(-1),
        )
    )
    page.facts["samples"] = [(rows + 1).tolist() for rows in estimator.estimators_samples_]


# -- voting ------------------------------------------------------------------------------------------------------------
def trace_voting(page: Page, training: Training) -> None:
    """Write the errors of the members and of the majority, and the vote on a row."""
    say, model, n = page.say, training.model, len(training.y)
    page.section(say("Members"))
    page.text(say("{members} different learners, each trained on the same {n} rows.", members=len(model.names), n=n))
    wrong = np.stack([member.decide(training.matrix) != training.y for member in model.members])
    lines = [
        [name, say.fixed(share), _numbers(rows), f"{int(rows.sum())}/{n} = {say.fixed(rows.mean())}"]
        for name, share, rows in zip(model.names, model.shares, wrong)
    ]
    page.table([say("member"), say("weight"), say("misclassified rows"), say("error")], lines)
    together = np.argmax(model.predict_proba(training.matrix), axis=1) != training.y
    page.text(
        say(
            "Together they misclassify {wrong} of {n} training rows: error {error}.",
            wrong=int(together.sum()),
            n=n,
            error=say.fixed(together.mean()),
        )
    )
    page.facts |= {
        "errors": {name: int(rows.sum()) for name, rows in zip(model.names, wrong)},
        "majority_error": int(together.sum()),
    }
    write_stacking(page, training)
    _if_independent(page, training, wrong)
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
        return
    _vote(page, training)


def write_stacking(page: Page, training: Training) -> None:
    """Write how the weights of a vote were chosen on rows left out, if they were."""
    estimator, say, y = training.estimator, page.say, training.y
    if not isinstance(estimator.weights, str):
        return
    weight = None if (training.weight == 1).all() else training.weight
    answers, rows = estimator._answers_out_of_fold(estimator._kept(), training.matrix, y, weight)
    truth = np.eye(len(training.classes))[y[rows]] if len(training.classes) else y[rows, None]
    products = error_products(answers, truth, None if weight is None else weight[rows])
    names, chosen = training.model.names, estimator.weights_
    page.section(say("The weights"))
    page.text(
        say(
            "Each of {folds} folds is predicted by members that were trained on the others. C is the mean product of "
            "the errors of two members on these rows, in units of the largest error. The weights are those of least "
            "squared error that are not negative and sum to 1.",
            folds=FOLDS,
        )
    )
    page.formula("min wᵀCw,  w ≥ 0,  Σ w = 1")
    lines = [[name, *map(say.fixed, line), say.fixed(w)] for name, line, w in zip(names, products, chosen)]
    page.table([say("member"), *names, say("weight")], lines)
    least = float(chosen @ products @ chosen)
    page.formula(f"wᵀCw = {say.fixed(least)}")
    page.facts |= {"products": products.tolist(), "weights": chosen.tolist(), "least": least}


def _numbers(wrong: np.ndarray) -> str:
    found = np.flatnonzero(wrong) + 1
    return (" ".join(map(str, found.tolist())) or "–") if len(found) <= _MOST_WRONG else str(len(found))


def _if_independent(page: Page, training: Training, wrong: np.ndarray) -> None:
    """Write how often a majority of equal votes would err if the members erred independently."""
    names, shares = training.model.names, training.model.shares
    equal = training.model.vote == "hard" and np.allclose(shares, shares[0]) and len(names) % 2 == 1
    if not equal or not 1 < len(names) <= _MOST_LISTED:
        return
    say, half = page.say, len(names) / 2
    errors = [Fraction(int(rows.sum()), len(rows)) for rows in wrong]
    page.section(say("Independent learners"))
    page.text(
        say(
            "If the members made these errors independently, the probability of each combination would be the"
            " product of its factors. The majority is wrong in the highlighted rows."
        )
    )
    lines, chosen, majority = list[list[str]](), list[int](), Fraction(0)
    for errs in product((False, True), repeat=len(names)):
        factors = [error if bad else 1 - error for bad, error in zip(errs, errors)]
        if sum(errs) > half:
            chosen.append(len(lines))
            majority += prod(factors)
        who = say.text(listed([name for name, bad in zip(names, errs) if bad])) if any(errs) else "–"
        lines.append([who, "·".join(f"({factor})" for factor in factors), say.fixed(float(prod(factors)))])
    page.table([say("wrong members"), "Π", "P"], lines, chosen=chosen)
    page.formula(f"P({say('majority wrong')}) = {majority} = {say.fixed(float(majority))}")
    page.facts["majority_error_if_independent"] = str(majority)


def _vote(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    page.section(say("Votes"))
    page.text(
        say("The class probabilities of all members are added.")
        if model.vote == "soft"
        else say("Each member has one vote.")
    )
    said = model.each(training.row)[:, 0, :]
    lines = [
        [name, say.percent(share), *map(say.fixed, line)] for name, share, line in zip(model.names, model.shares, said)
    ]
    page.table([say("member"), say("weight"), *training.classes], lines)
    announce_winner(page, training, model.shares @ said)


# -- animation ---------------------------------------------------------------------------------------------------------
def animate_adaboost(context: AnimationContext) -> list[Frame]:
    """Make one picture per round; of classes, the size of a row is its weight in the next round."""
    if context.plane is None:
        return []
    estimator = context.estimator
    grid = context.like_source(context.points)
    if context.training.is_numeric:
        return frames_of_rounds(context, estimator.staged_predict(grid))
    rows = [np.asarray(one.predict(context.training.source)) for one in estimator.estimators_[:MAX_FRAMES]]
    weights = _boosted(rows, np.asarray(context.training.labels), estimator.estimator_weights_, context.training.weight)
    return frames_of_rounds(context, estimator.staged_predict(grid), weights)


def _boosted(
    predicted: list[np.ndarray], labels: np.ndarray, alphas: np.ndarray, weight: np.ndarray
) -> Iterator[np.ndarray]:
    """The weights of the rows after each round: w·exp(α) where it was wrong, w·exp(−α) elsewhere, renormalised."""
    current = weight / weight.sum()
    for one, alpha in zip(predicted, alphas):
        current = current * np.exp(np.where(one != labels, alpha, -alpha))
        current = current / current.sum()
        yield current
