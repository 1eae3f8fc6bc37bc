"""Exercises on rule learners: FOIL gain, CN2's measures, RIPPER's pruning."""

from __future__ import annotations

from fractions import Fraction
from math import log, log2

import numpy as np

from vaglio.exercises.answers import Number, Word
from vaglio.exercises.drawing import Rows, draw_rows, entropy, until
from vaglio.exercises.sheet import Draft

_CLEAR = 0.05


def _counts(rows: Rows, j: int, value: str, positive: str) -> tuple[int, int]:
    labels = [label for row, label in zip(rows.cells, rows.labels, strict=True) if row[j] == value]
    hits = labels.count(positive)
    return hits, len(labels) - hits


def _foil_gain(before: tuple[int, int], after: tuple[int, int]) -> float:
    if not after[0]:
        return 0.0
    return after[0] * (log2(after[0] / sum(after)) - log2(before[0] / sum(before)))


def _conditions(rows: Rows) -> list[tuple[int, str]]:
    return [(j, value) for j in range(len(rows.names)) for value in rows.values[j] if value in rows.branches(j)]


def foil(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """The gain of a condition; the best first condition; the rule."""
    say = draft.say

    def scores(rows: Rows) -> list[float]:
        before = (rows.labels.count(rows.classes[0]), rows.labels.count(rows.classes[1]))
        return [_foil_gain(before, _counts(rows, j, value, rows.classes[0])) for j, value in _conditions(rows)]

    def fits(rows: Rows) -> bool:
        if not 3 <= rows.labels.count(rows.classes[0]) <= len(rows.labels) - 3:
            return False
        covering = [_counts(rows, j, value, rows.classes[0])[0] for j, value in _conditions(rows)]
        ordered = sorted(scores(rows), reverse=True)
        return sum(map(bool, covering)) >= 4 and ordered[0] - ordered[1] > _CLEAR and ordered[0] > 0.3

    rows = draw_rows(draw, say, 8 + 2 * level, 3, fits)
    positive = rows.classes[0]
    before = (rows.labels.count(positive), rows.labels.count(rows.classes[1]))
    conditions, gains = _conditions(rows), scores(rows)
    best = max(range(len(gains)), key=gains.__getitem__)
    draft.text(
        say(
            "FOIL learns a rule for the class {target} = {positive}. The rule has no condition yet.",
            target=rows.target,
            positive=positive,
        )
    )
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts() | {"positive": positive}
    others = [at for at in range(len(gains)) if at != best and _counts(rows, *conditions[at], positive)[0]]
    asked = [best, others[int(draw.integers(len(others)))]] if level == 1 else [best, *others[:3]]
    for at in sorted(asked):
        j, value = conditions[at]
        after = _counts(rows, j, value, positive)
        draft.ask(
            say("What is the FOIL gain of the condition {attribute} = {value}?", attribute=rows.names[j], value=value),
            Number(gains[at]),
            f"{after[0]}·(log2({after[0]}/{sum(after)}) − log2({before[0]}/{sum(before)})) = {draft.show(gains[at])}",
            mistakes=[
                (say("not multiplied by the positive rows"), Number(gains[at] / after[0])),
                (say("natural logarithms"), Number(gains[at] * log(2))),
                (say("multiplied by all rows of the condition"), Number(gains[at] / after[0] * sum(after))),
            ],
        )
    j, value = conditions[best]
    draft.ask(
        say("Which attribute does the first condition test, over all attributes and values?"), Word(rows.names[j])
    )
    draft.ask(say("Which value does it ask for?"), Word(value))
    if level > 1:
        after = _counts(rows, j, value, positive)
        draft.ask(say("How many positive rows does the rule cover with this condition?"), Number(after[0], 0))
        draft.ask(
            say("Does the rule need another condition? (yes or no)"),
            Word(say("yes") if after[1] else say("no")),
        )
    if level > 2:
        draft.ask(
            say("How many positive rows are left for further rules once the covered rows are removed?"),
            Number(before[0] - _counts(rows, j, value, positive)[0], 0),
        )


def cn2(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Entropy, Laplace accuracy and the likelihood ratio of conditions."""
    say = draft.say

    def fits(rows: Rows) -> bool:
        counts = [_counts(rows, j, value, rows.classes[0]) for j, value in _conditions(rows)]
        laplace = sorted((float(_laplace(each)) for each in counts), reverse=True)
        return laplace[0] - laplace[1] > 0.03 and 4 <= rows.labels.count(rows.classes[0]) <= len(rows.labels) - 4

    rows = draw_rows(draw, say, 10 + 2 * level, 3, fits)
    positive = rows.classes[0]
    conditions = _conditions(rows)
    best = max(range(len(conditions)), key=lambda at: _laplace(_counts(rows, *conditions[at], positive)))
    draft.text(say("CN2 looks for its first condition; the class is {target}.", target=rows.target))
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts() | {"positive": positive}
    j, value = conditions[best]
    counts = _counts(rows, j, value, positive)
    n, hits = sum(counts), max(counts)
    told = f"{rows.names[j]} = {value}"
    draft.ask(
        say("How many rows does the condition {condition} cover?", condition=told),
        Number(n, 0),
    )
    draft.ask(
        say("What is the entropy of the classes of the rows with {condition}?", condition=told),
        Number(entropy([positive] * counts[0] + ["-"] * counts[1])),
    )
    draft.ask(
        say("What is the Laplace accuracy of {condition} for its majority class, with two classes?", condition=told),
        Number(_laplace(counts)),
        f"({hits} + 1)/({n} + 2) = {draft.show(_laplace(counts))}",
        mistakes=[
            (say("no correction"), Number(Fraction(hits, n))),
            (say("1 instead of 2 below"), Number(Fraction(hits + 1, n + 1))),
        ],
    )
    if level > 1:
        draft.ask(
            say("What is the likelihood ratio statistic of {condition}, with natural logarithms?", condition=told),
            Number(_likelihood_ratio(rows, counts)),
            f"2·Σ {say('observed')}·ln({say('observed')}/{say('expected')}) "
            f"= {draft.show(_likelihood_ratio(rows, counts))}",
            mistakes=[
                (say("not multiplied by 2"), Number(_likelihood_ratio(rows, counts) / 2)),
                (say("base-2 logarithms"), Number(_likelihood_ratio(rows, counts) / log(2))),
            ],
        )
        draft.ask(
            say("Is it significant at 95 %, where the statistic must exceed 3.84? (yes or no)"),
            Word(say("yes") if _likelihood_ratio(rows, counts) > 3.84 else say("no")),
        )
    if level > 2:
        at = next(at for at in range(len(conditions)) if at != best)
        other = _counts(rows, *conditions[at], positive)
        told = f"{rows.names[conditions[at][0]]} = {conditions[at][1]}"
        draft.ask(
            say(
                "What is the Laplace accuracy of {condition} for its majority class, with two classes?", condition=told
            ),
            Number(_laplace(other)),
            f"({max(other)} + 1)/({sum(other)} + 2) = {draft.show(_laplace(other))}",
        )


def _laplace(counts: tuple[int, int]) -> Fraction:
    return Fraction(max(counts) + 1, sum(counts) + 2)


def _likelihood_ratio(rows: Rows, counts: tuple[int, int]) -> float:
    n, total = sum(counts), len(rows.labels)
    before = [rows.labels.count(label) for label in rows.classes]
    return 2 * sum(seen * log(seen / (n * all_ / total)) for seen, all_ in zip(counts, before, strict=True) if seen)


def ripper(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Which conditions of a rule does pruning delete?"""
    say = draft.say
    names = ["A", "B", "C", "D"][: 2 + level]

    def worth(counts: tuple[int, int]) -> Fraction:
        return Fraction(counts[0] - counts[1], sum(counts))

    def make() -> list[tuple[int, int]]:
        # Each further condition covers fewer rows.
        covered = [(int(draw.integers(12, 20)), int(draw.integers(8, 16)))]
        for _ in names[1:]:
            p, n = covered[-1]
            covered.append((int(draw.integers(max(p - 5, 1), p + 1)), int(draw.integers(max(n - 6, 0), n + 1))))
        return covered

    def fits(covered: list[tuple[int, int]]) -> bool:
        ordered = sorted((float(worth(each)) for each in covered), reverse=True)
        return ordered[0] - ordered[1] > _CLEAR and len(set(covered)) == len(covered)

    covered = until(make, fits)
    best = max(range(len(covered)), key=lambda at: worth(covered[at]))
    draft.text(
        say(
            "RIPPER has grown the rule IF {conditions} THEN P, and prunes its last conditions on rows that were kept "
            "apart. The table shows how many of these rows of class P and of other classes each beginning of the rule "
            "covers. RIPPER keeps the beginning with the highest (p − n)/(p + n).",
            conditions=" AND ".join(names),
        )
    )
    draft.table(
        [say("rule"), "p", "n"],
        [[f"IF {' AND '.join(names[: at + 1])}", *counts] for at, counts in enumerate(covered)],
    )
    draft.facts = {"covered": covered}
    for at, (p, n) in enumerate(covered):
        draft.ask(
            say("What is the value of the rule with {n:,} {n:condition|conditions}?", n=at + 1),
            Number(worth((p, n))),
            f"({p} − {n})/({p} + {n}) = {draft.show(worth((p, n)))}",
            mistakes=[(say("the precision p/(p + n)"), Number(Fraction(p, p + n)))],
        )
    draft.ask(say("How many conditions does the pruned rule have?"), Number(best + 1, 0))
    draft.ask(
        say("What is the precision of the pruned rule on these rows?"),
        Number(Fraction(covered[best][0], sum(covered[best]))),
    )
    if level > 1:
        share = Fraction(covered[best][1], sum(covered[best]))
        draft.ask(
            say(
                "RIPPER stops adding rules when more than half of the covered rows are errors. Does it stop? (yes or "
                "no)"
            ),
            Word(say("yes") if share > Fraction(1, 2) else say("no")),
            f"{covered[best][1]}/{sum(covered[best])} = {draft.show(share)}",
        )
