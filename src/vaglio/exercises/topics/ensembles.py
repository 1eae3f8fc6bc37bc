"""Exercises on ensembles: bootstrap and votes, similarity in a forest, a round of AdaBoost."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log, sqrt

import numpy as np

from vaglio.exercises.answers import Number, Word, Words
from vaglio.exercises.drawing import until
from vaglio.exercises.sheet import Draft
from vaglio.tracing import trace_vote


def bagging(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Rows out of the bag, the chance to be left out, the vote of independent learners."""
    say, n = draft.say, 5 + level
    sample = until(lambda: draw.integers(1, n + 1, size=n).tolist(), lambda made: 2 <= n - len(set(made)) <= 3)
    members, error = int(draw.choice([3, 5])), Fraction(int(draw.choice([10, 20, 25, 30, 40])), 100)
    draft.text(
        say(
            "A training set has {n:,} rows. A bootstrap sample has drawn these rows: {rows}.",
            n=n,
            rows=", ".join(map(str, sample)),
        )
    )
    draft.text(
        say(
            "An ensemble of {members:,} learners, each wrong on {error} of the rows and independently of the "
            "others, votes "
            "by majority.",
            members=members,
            error=say.percent(float(error), 0),
        )
    )
    draft.facts = {"n": n, "sample": sample, "members": members, "error": float(error)}
    draft.ask(say("Which rows are out of the bag?"), Words.of(sorted(set(range(1, n + 1)) - set(sample))))
    out = Fraction(n - 1, n) ** n
    draft.ask(
        say("What is the probability that a given row is in no place of a bootstrap sample of {n:,} rows?", n=n),
        Number(float(out)),
        f"(1 − 1/{n})^{n} = {draft.show(out)}",
        mistakes=[
            (say("the probability of one draw"), Number(Fraction(n - 1, n))),
            (say("the limit 1/e"), Number(exp(-1))),
            (say("that it is drawn"), Number(float(1 - out))),
        ],
    )
    more = range(members // 2 + 1, members + 1)
    wrong = sum(comb(members, k) * error**k * (1 - error) ** (members - k) for k in more)
    draft.ask(
        say("What is the probability that the majority is wrong?"),
        Number(float(wrong)),
        " + ".join(
            f"C({members}, {k})·{say.short(float(error))}^{k}·{say.short(float(1 - error))}^{members - k}" for k in more
        )
        + f" = {draft.show(wrong)}",
        mistakes=[
            (say("all must be wrong"), Number(float(error**members))),
            (say("the error of one learner"), Number(error)),
        ],
    )
    if level > 1:
        votes = until(lambda: draw.integers(2, size=5).tolist(), lambda made: 0 < sum(made) < 5)
        shares = until(
            lambda: [Fraction(int(v), 20) for v in draw.integers(11, 20, size=5)],
            lambda made: (
                abs(sum(p if v else 1 - p for v, p in zip(votes, made, strict=True)) - Fraction(5, 2)) > Fraction(1, 10)
            ),
        )
        draft.facts |= {"votes": votes, "shares": [float(share) for share in shares]}
        told = "; ".join(
            f"{'A' if v else 'B'} ({say.percent(float(p), 0)})" for v, p in zip(votes, shares, strict=True)
        )
        mean = sum((p if v else 1 - p for v, p in zip(votes, shares, strict=True)), Fraction(0)) / 5
        draft.ask(
            say(
                "Five trees predict these classes with these probabilities: {votes}. Which class wins the hard vote?",
                votes=told,
            ),
            Word("A" if sum(votes) > 2 else "B"),
        )
        draft.ask(
            say("What is the mean probability of A (the soft vote)?"),
            Number(mean),
            mistakes=[(say("the share of votes"), Number(Fraction(sum(votes), 5)))],
        )
    draft.trace = trace_vote(error=float(error), learners=members, lang=say.lang)


def forest(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Leaves that rows share: similarity, neighbours; attributes per node."""
    say, rows, trees = draft.say, 4 + level, 4 if level == 1 else 5
    attributes = int(draw.choice([9, 16, 25, 36]))

    def similarity(leaves: np.ndarray) -> np.ndarray:
        return np.asarray((leaves[:, None] == leaves[None]).mean(axis=2))

    def fits(leaves: np.ndarray) -> bool:
        first = np.sort(similarity(leaves)[0, 1:])
        return bool(first[-1] > first[-2] and first[-1] < 1 and first[0] < first[-1])

    leaves = until(lambda: draw.integers(1, 4, size=(rows, trees)), fits)
    alike = similarity(leaves)
    labels = until(
        lambda: [str(each) for each in draw.choice(["A", "B"], size=trees)], lambda made: made.count("A") * 2 != trees
    )
    draft.text(
        say(
            "A random forest of {trees:,} trees on {attributes:,} attributes. The table shows the leaf that each "
            "row reaches "
            "in each tree.",
            trees=trees,
            attributes=attributes,
        )
    )
    draft.table(
        [say("row"), *(say("tree {n:,}", n=t + 1) for t in range(trees))],
        [[i, *line.tolist()] for i, line in enumerate(leaves, 1)],
    )
    draft.facts = {"leaves": leaves.tolist(), "attributes": attributes, "labels": labels}
    draft.ask(
        say("How many attributes does a node try, by the rule √p?"),
        Number(round(sqrt(attributes)), 0),
        f"√{attributes}",
    )
    for other in range(1, 2 if level == 1 else 3):
        same = int((leaves[0] == leaves[other]).sum())
        draft.ask(
            say(
                "What is the similarity of rows 1 and {row:,}, the share of trees in which they share a leaf?",
                row=other + 1,
            ),
            Number(Fraction(same, trees)),
            f"{same}/{trees}",
            mistakes=[
                (say("the count instead of the share"), Number(same)),
                (say("the distance"), Number(1 - Fraction(same, trees))),
            ],
        )
    nearest = int(alike[0, 1:].argmax()) + 1
    draft.ask(say("Which row is most similar to row 1?"), Words.of([nearest + 1]))
    draft.ask(
        say("The trees predict {votes} for row 1. Which class does the forest predict?", votes=", ".join(labels)),
        Word("A" if labels.count("A") * 2 > trees else "B"),
    )
    if level > 2:
        mean = Fraction(int((leaves[1:] == leaves[0]).sum()), trees * (rows - 1))
        draft.ask(say("What is the mean similarity of row 1 with the other rows?"), Number(mean))


def adaboost(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """The weighted error, the weight of the learner, the weights of the rows."""
    say, n = draft.say, 4 + 2 * level

    def make() -> tuple[list[int], list[int]]:
        return draw.integers(2, size=n).tolist(), draw.integers(2, size=n).tolist()

    def wrong_of(made: tuple[list[int], list[int]]) -> list[int]:
        return [i for i, (y, p) in enumerate(zip(*made, strict=True)) if y != p]

    labels, predicted = until(make, lambda made: 1 <= len(wrong_of(made)) < n / 2 and len(set(made[0])) == 2)
    wrong = wrong_of((labels, predicted))
    sign = {1: "+1", 0: "−1"}
    draft.text(
        say(
            "The first round of AdaBoost: all {n:,} rows have weight 1/{n:,}. The table shows the classes and "
            "what the first "
            "learner predicts.",
            n=n,
        )
    )
    draft.table(
        [say("row"), "y", "h(x)"],
        [[i, sign[y], sign[p]] for i, (y, p) in enumerate(zip(labels, predicted, strict=True), 1)],
    )
    draft.facts = {"labels": labels, "predicted": predicted}
    error = Fraction(len(wrong), n)
    alpha = 0.5 * log((1 - error) / error)
    draft.ask(say("What is the weighted error ε of the learner?"), Number(error), f"{len(wrong)}/{n}")
    draft.ask(
        say("What is its weight α = ½ ln((1 − ε)/ε)?"),
        Number(alpha),
        f"½·ln({say.short(float((1 - error) / error))}) = {draft.show(alpha)}",
        mistakes=[
            (say("without ½"), Number(2 * alpha)),
            (say("base-2 logarithms"), Number(alpha / log(2))),
            (say("the fraction upside down"), Number(-alpha)),
        ],
    )
    raised, lowered = Fraction(1, 2 * len(wrong)), Fraction(1, 2 * (n - len(wrong)))
    draft.ask(
        say("After the round, what is the normalised weight of a row that was misclassified?"),
        Number(raised),
        f"1/{n}·e^α / Z = {draft.show(raised)}",
        mistakes=[
            (say("not normalised"), Number(exp(alpha) / n)),
            (say("the weight of a row that was right"), Number(lowered)),
        ],
    )
    if level > 1:
        draft.ask(
            say("And the normalised weight of a row that was classified correctly?"),
            Number(lowered),
            mistakes=[(say("not normalised"), Number(exp(-alpha) / n))],
        )
        draft.ask(say("What is the normalising sum Z?"), Number(2 * sqrt(float(error * (1 - error)))))
    if level > 2:
        again = until(
            lambda: draw.integers(2, size=n).tolist(),
            lambda made: 0 < _weighted(labels, made, wrong, raised, lowered) < Fraction(1, 2),
        )
        second = _weighted(labels, again, wrong, raised, lowered)
        draft.facts["second"] = again
        told = ", ".join(sign[each] for each in again)
        draft.ask(
            say("The second learner predicts, row by row, {votes}. What is its weighted error?", votes=told),
            Number(second),
            mistakes=[
                (say("unweighted"), Number(Fraction(sum(y != p for y, p in zip(labels, again, strict=True)), n)))
            ],
        )


def _weighted(
    labels: list[int], predicted: list[int], wrong: list[int], raised: Fraction, lowered: Fraction
) -> Fraction:
    return sum(
        (raised if i in wrong else lowered for i, (y, p) in enumerate(zip(labels, predicted, strict=True)) if y != p),
        Fraction(0),
    )
