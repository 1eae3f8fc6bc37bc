"""Exercises on estimates: folds, leave one out, bootstrap, intervals."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np

from vaglio.exercises.answers import Number, Word
from vaglio.exercises.drawing import until
from vaglio.exercises.sheet import Draft


def folds(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Sizes of folds, mean and pooled accuracy, the .632 bootstrap."""
    say = draft.say
    k = int(draw.choice([4, 5]))
    n = int(draw.choice([50, 60, 90, 110, 130])) + int(draw.integers(1, k))
    sizes = [n // k + (i < n % k) for i in range(k)]
    right = until(lambda: [int(s - draw.integers(0, max(2, s // 3))) for s in sizes], lambda made: len(set(made)) > 1)
    draft.text(say("{n:,} rows are divided into {k:,} folds whose sizes differ by at most one row.", n=n, k=k))
    draft.table(
        [say("fold"), say("test rows"), say("classified correctly")],
        [[i, s, r] for i, (s, r) in enumerate(zip(sizes, right, strict=True), 1)],
    )
    draft.facts = {"n": n, "sizes": sizes, "right": right}
    draft.ask(
        say("How many rows are in the training set of the first fold?"), Number(n - sizes[0], 0), f"{n} − {sizes[0]}"
    )
    pooled = Fraction(sum(right), n)
    mean = sum((Fraction(r, s) for r, s in zip(right, sizes, strict=True)), Fraction(0)) / k
    draft.ask(say("What is the accuracy over all test rows?"), Number(pooled), f"{sum(right)}/{n}")
    draft.ask(
        say("What is the mean of the accuracies of the folds?"),
        Number(mean),
        " + ".join(f"{r}/{s}" for r, s in zip(right, sizes, strict=True)),
    )
    draft.ask(say("How many models does leave-one-out train on these rows?"), Number(n, 0))
    if level > 1:
        shares = [r / s for r, s in zip(right, sizes, strict=True)]
        deviation = float(np.std(shares, ddof=1))
        draft.ask(
            say("What is the standard deviation of the accuracies of the folds (divided by k − 1)?"),
            Number(deviation),
            mistakes=[(say("divided by k"), Number(float(np.std(shares))))],
        )
        draft.ask(
            say(
                "How many rows does a stratified test fold need of a class with {n:,} rows, rounded down?",
                n=(2 * n) // 5,
            ),
            Number((2 * n) // 5 // k, 0),
        )
    if level > 2:
        out, inside = Fraction(int(draw.integers(60, 80)), 100), Fraction(int(draw.integers(85, 99)), 100)
        estimate = Fraction(632, 1000) * out + Fraction(368, 1000) * inside
        draft.facts |= {"out": float(out), "inside": float(inside)}
        draft.ask(
            say(
                "A bootstrap has accuracy {out} on the rows that were not drawn and {inside} on its training rows. "
                "What is "
                "the .632 estimate?",
                out=say.fixed(float(out), 2),
                inside=say.fixed(float(inside), 2),
            ),
            Number(estimate),
            f"0.632·{say.short(float(out))} + 0.368·{say.short(float(inside))} = {draft.show(estimate)}",
            mistakes=[(say("the weights exchanged"), Number(Fraction(368, 1000) * out + Fraction(632, 1000) * inside))],
        )


def interval(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Standard error, intervals of an accuracy, and a paired comparison."""
    say = draft.say
    n = int(draw.choice([50, 80, 100, 200, 400]))
    right = int(n * draw.uniform(0.65, 0.95))
    share = Fraction(right, n)
    draft.text(
        say("A model classifies {right:,} of {n:,} test rows correctly. Use z = 1.96 for 95 %.", right=right, n=n)
    )
    draft.facts = {"n": n, "right": right}
    error = sqrt(float(share * (1 - share)) / n)
    draft.ask(say("What is the accuracy?"), Number(share), f"{right}/{n}")
    draft.ask(
        say("What is the standard error of the accuracy, √(p(1 − p)/n)?"),
        Number(error),
        mistakes=[(say("not divided by n"), Number(error * sqrt(n))), (say("no square root"), Number(error**2))],
    )
    z = Fraction(196, 100)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = float(z) / (1 + float(z) ** 2 / n) * sqrt(float(share * (1 - share)) / n + float(z) ** 2 / (4 * n * n))
    draft.ask(say("What is the lower end of the simple interval p − z·SE?"), Number(float(share) - 1.96 * error))
    if level > 1:
        draft.ask(
            say("What is the centre of Wilson's interval, (p + z²/2n)/(1 + z²/n)?"),
            Number(float(centre)),
        )
        draft.ask(say("What is the lower end of Wilson's interval?"), Number(float(centre) - half))
    if level > 2:
        b, c = until(lambda: tuple(int(v) for v in draw.integers(3, 25, size=2)), lambda made: made[0] != made[1])
        statistic = Fraction((abs(b - c) - 1) ** 2, b + c)
        draft.facts |= {"only_a": b, "only_b": c}
        draft.ask(
            say(
                "Model A alone is right on {b:,} rows, model B alone on {c:,}. What is McNemar's statistic with "
                "continuity correction, (|b − c| − 1)²/(b + c)?",
                b=b,
                c=c,
            ),
            Number(statistic, 2),
            mistakes=[(say("without the correction"), Number(Fraction((b - c) ** 2, b + c), 2))],
        )
        draft.ask(
            say("Is the difference significant at 5 %, where the statistic must exceed 3.84? (yes or no)"),
            Word(say("yes") if statistic > Fraction(384, 100) else say("no")),
        )
