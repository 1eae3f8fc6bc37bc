"""Exercises on Bayes: naive Bayes, a joint table, Bayes' theorem, two normal densities."""

from __future__ import annotations

from fractions import Fraction
from math import exp, pi, prod, sqrt

import numpy as np

from vaglio.exercises.answers import Number, Word
from vaglio.exercises.drawing import Rows, draw_rows, until
from vaglio.exercises.sheet import Draft
from vaglio.learners.registry import find
from vaglio.tracing import trace, trace_bayes


def _factor(rows: Rows, j: int, value: str, label: str, alpha: int) -> Fraction:
    n = rows.labels.count(label)
    hits = sum(row[j] == value and each == label for row, each in zip(rows.cells, rows.labels, strict=True))
    return Fraction(hits + alpha, n + alpha * len(rows.values[j]))


def _scores(rows: Rows, row: tuple[str, ...], alpha: int) -> dict[str, Fraction]:
    n = len(rows.labels)
    return {
        label: Fraction(rows.labels.count(label), n)
        * prod(_factor(rows, j, value, label, alpha) for j, value in enumerate(row))
        for label in rows.classes
    }


def naive(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Prior, likelihoods, posterior; with Laplace smoothing; a value that no row of a class has."""
    say, n_attributes = draft.say, 2 if level == 1 else 3

    def make() -> tuple[Rows, tuple[str, ...]]:
        rows = draw_rows(
            draw,
            say,
            8 + 2 * level,
            n_attributes,
            lambda rows: all(rows.labels.count(c) >= 3 for c in rows.classes),
            0.4,
        )
        return rows, tuple(str(draw.choice(each)) for each in rows.values)

    def fits(made: tuple[Rows, tuple[str, ...]]) -> bool:
        rows, row = made
        if any(len(rows.branches(j)) != len(rows.values[j]) for j in range(n_attributes)):
            return False
        plain, smooth = _scores(rows, row, 0), _scores(rows, row, 1)
        shares = [
            float(score[rows.classes[0]] / sum(score.values())) for score in (plain, smooth) if sum(score.values())
        ]
        zeros = sum(not value for value in plain.values())
        # Both ways decide alike and clearly; at the highest level one product is 0 without smoothing.
        return len(shares) == 2 and all(abs(share - 0.5) > 0.05 for share in shares) and zeros == (level == 3)

    rows, row = until(make, fits)
    first, n = rows.classes[0], len(rows.labels)
    told = ", ".join(f"{name} = {value}" for name, value in zip(rows.names, row, strict=True))
    draft.text(
        say("The rows of a training set; the class is {target}. A new row has {row}.", target=rows.target, row=told)
    )
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts() | {"row": list(row), "values": [list(each) for each in rows.values]}
    draft.ask(
        say("What is the prior probability of {target} = {label}?", target=rows.target, label=first),
        Number(Fraction(rows.labels.count(first), n)),
        f"{rows.labels.count(first)}/{n}",
    )
    for label in rows.classes if level > 1 else (first,):
        factor = _factor(rows, 0, row[0], label, 0)
        draft.ask(
            say(
                "What is P({attribute} = {value} | {target} = {label}), without smoothing?",
                attribute=rows.names[0],
                value=row[0],
                target=rows.target,
                label=label,
            ),
            Number(factor),
            mistakes=[
                (say("divided by all rows"), Number(factor * rows.labels.count(label) / n)),
                (
                    say("P(class | value) instead of P(value | class)"),
                    Number(factor * rows.labels.count(label) / sum(each[0] == row[0] for each in rows.cells)),
                ),
            ],
        )
    for alpha, how in ((0, say("without smoothing")), (1, say("with Laplace smoothing (add 1 to every count)"))):
        if level == 1 and alpha:
            continue
        score = _scores(rows, row, alpha)
        total = sum(score.values())
        work = [
            f"{rows.target} = {label}: {rows.labels.count(label)}/{n} · "
            + " · ".join(str(_factor(rows, j, value, label, alpha)) for j, value in enumerate(row))
            + f" = {say.figures(float(score[label]))}"
            for label in rows.classes
        ]
        draft.ask(
            say(
                "What is the posterior probability of {target} = {label} for the new row, {how}?",
                target=rows.target,
                label=first,
                how=how,
            ),
            Number(score[first] / total),
            *work,
            f"{say.figures(float(score[first]))} / {say.figures(float(total))} = {draft.show(score[first] / total)}",
            mistakes=[(say("not divided by the sum over the classes"), Number(score[first]))],
        )
    plain = _scores(rows, row, 1 if level > 1 else 0)
    draft.ask(
        say("Which class does naive Bayes predict, by the last probability?"), Word(max(plain, key=plain.__getitem__))
    )
    draft.trace = trace(
        find("naive-bayes").make(textbook=True, alpha=1 if level > 1 else 0), *rows.xy(), row=list(row), lang=say.lang
    )


def documents(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Words counted in the documents of two classes: prior, probability of a word, score, class."""
    say = draft.say
    classes, words = (say("sport"), say("politics")), (say("match"), say("vote"), say("season"), say("law"))

    def make() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return draw.integers(0, 9, size=(2, 4)), draw.integers(2, 7, size=2), draw.integers(0, 3, size=4)

    def scores(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> list[float]:
        counts, texts, new = made
        theta = (counts + 1) / (counts.sum(axis=1, keepdims=True) + len(words))
        found: list[float] = (np.log(texts / texts.sum()) + np.log(theta) @ new).tolist()
        return found

    def fits(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> bool:
        counts, _, new = made
        first, second = scores(made)
        return new[0] > 0 and 2 <= new.sum() <= 4 and counts.sum(axis=1).min() > 5 and 0.3 < abs(first - second) < 4

    counts, texts, new = made = until(make, fits)
    first, second = scores(made)
    seen, here, n_words = int(counts[0, 0]), int(counts[0].sum()), len(words)
    draft.text(
        say(
            "How often each word occurs in the documents of each class. A new document has the words {words}. Smooth "
            "with α = 1: add 1 to every count.",
            words=", ".join(word for word, n in zip(words, new.tolist(), strict=True) for _ in range(n)),
        )
    )
    draft.table(
        [say("class"), say("documents"), *words],
        [[label, int(n), *line] for label, n, line in zip(classes, texts, counts.tolist(), strict=True)],
    )
    draft.facts = {"counts": counts.tolist(), "documents": texts.tolist(), "new": new.tolist()}
    draft.ask(
        say("What is the prior probability of the class {label}?", label=classes[0]),
        Number(Fraction(int(texts[0]), int(texts.sum()))),
        f"{texts[0]}/{texts.sum()}",
        mistakes=[(say("words counted instead of documents"), Number(Fraction(here, int(counts.sum()))))],
    )
    draft.ask(
        say("What is P({word} | {label})?", word=words[0], label=classes[0]),
        Number(Fraction(seen + 1, here + n_words)),
        f"({seen} + 1)/({here} + {n_words})",
        mistakes=[
            (say("without smoothing"), Number(Fraction(seen, here))),
            (say("1 added below the line, not 1 for every word"), Number(Fraction(seen + 1, here + 1))),
        ],
    )
    terms = " + ".join(
        f"{n}·ln(({count} + 1)/({here} + {n_words}))"
        for n, count in zip(new.tolist(), counts[0].tolist(), strict=True)
        if n
    )
    draft.ask(
        say("What is the score ln P({label}) + Σ n·ln P(word | {label}) of the new document?", label=classes[0]),
        Number(first),
        f"ln({texts[0]}/{texts.sum()}) + {terms}",
        mistakes=[(say("without the prior"), Number(first - float(np.log(texts[0] / texts.sum()))))],
    )
    if level > 1:
        draft.ask(
            say("Which class is predicted?"),
            Word(classes[0] if first > second else classes[1]),
            f"{classes[0]}: {say.fixed(first)}; {classes[1]}: {say.fixed(second)}",
        )
    if level > 2:
        share = 1 / (1 + exp(second - first))
        draft.ask(
            say("What is the probability of the class {label}?", label=classes[0]),
            Number(share),
            f"1/(1 + exp({say.fixed(second)} − ({say.fixed(first)})))",
            mistakes=[(say("the other class"), Number(1 - share))],
        )


def joint(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Probabilities of events from a table of counts."""
    say = draft.say
    counts = until(
        lambda: draw.integers(1, 13, size=(2, 2, 2)),
        lambda made: made.sum() in (20, 24, 25, 30, 32, 36, 40, 45, 48, 50),
    )
    total = int(counts.sum())
    yes = [say("yes"), say("no")]
    draft.text(say("{n:,} patients by fever, cough and illness.", n=total))
    draft.table(
        [say("fever"), say("cough"), say("ill"), say("patients")],
        [[yes[f], yes[c], yes[i], int(counts[f, c, i])] for f in (0, 1) for c in (0, 1) for i in (0, 1)],
    )
    draft.facts = {"counts": counts.tolist()}
    ill = int(counts[:, :, 0].sum())
    draft.ask(say("What is P(ill = yes)?"), Number(Fraction(ill, total)), f"{ill}/{total}")
    both = int(counts[0, :, 0].sum())
    fever = int(counts[0].sum())
    draft.ask(
        say("What is P(ill = yes | fever = yes)?"),
        Number(Fraction(both, fever)),
        f"{both}/{fever}",
        mistakes=[
            (say("P(fever | ill) instead of P(ill | fever)"), Number(Fraction(both, ill))),
            (say("the joint probability"), Number(Fraction(both, total))),
        ],
    )
    draft.ask(say("What is P(fever = yes and ill = yes)?"), Number(Fraction(both, total)), f"{both}/{total}")
    if level > 1:
        cell, here = int(counts[0, 1, 0]), int(counts[0, 1].sum())
        draft.ask(
            say("What is P(ill = yes | fever = yes, cough = no)?"), Number(Fraction(cell, here)), f"{cell}/{here}"
        )
        independent = both * total == fever * ill
        draft.ask(
            say("Are fever and illness independent in this table? (yes or no)"),
            Word(yes[0] if independent else yes[1]),
            f"{both}/{total} {'=' if independent else '≠'} {fever}/{total} · {ill}/{total}",
        )
    if level > 2:
        either = int(counts.sum() - counts[1, 1].sum())
        sick = int(counts[:, :, 0].sum() - counts[1, 1, 0])
        draft.ask(
            say("What is P(ill = yes | fever = yes or cough = yes)?"),
            Number(Fraction(sick, either)),
            f"{sick}/{either}",
        )


def theorem(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """A test for a disease: the posterior from prior, sensitivity and specificity."""
    say = draft.say
    prior = Fraction(int(draw.choice([1, 2, 5, 10, 20])), 100)
    sensitivity = Fraction(int(draw.integers(80, 99)), 100)
    specificity = Fraction(int(draw.integers(80, 99)), 100)
    draft.text(
        say(
            "A disease has {prior} of the people. A test is positive for {sensitivity} of the ill and negative for "
            "{specificity} of the healthy.",
            prior=say.percent(float(prior), 0),
            sensitivity=say.percent(float(sensitivity), 0),
            specificity=say.percent(float(specificity), 0),
        )
    )
    alarm = 1 - specificity
    evidence = prior * sensitivity + (1 - prior) * alarm
    posterior = prior * sensitivity / evidence
    draft.facts = {"prior": float(prior), "sensitivity": float(sensitivity), "specificity": float(specificity)}
    draft.ask(
        say("What is P(positive | healthy)?"),
        Number(alarm),
        f"1 − {say.fixed(float(specificity), 2)}",
        mistakes=[(say("the specificity itself"), Number(specificity))],
    )
    draft.ask(
        say("What is the probability of a positive test?"),
        Number(evidence),
        f"{say.fixed(float(prior), 2)}·{say.fixed(float(sensitivity), 2)} + "
        f"{say.fixed(float(1 - prior), 2)}·{say.fixed(float(alarm), 2)} = {draft.show(evidence)}",
        mistakes=[(say("the mean without the priors"), Number((sensitivity + alarm) / 2))],
    )
    draft.ask(
        say("A test is positive. What is the probability of the disease?"),
        Number(posterior),
        f"{draft.show(prior * sensitivity)} / {draft.show(evidence)} = {draft.show(posterior)}",
        mistakes=[
            (say("P(positive | ill), the base rate forgotten"), Number(sensitivity)),
            (say("not divided by P(positive)"), Number(prior * sensitivity)),
        ],
    )
    if level > 1:
        missed = prior * (1 - sensitivity) / (1 - evidence)
        draft.ask(
            say("A test is negative. What is the probability of the disease?"),
            Number(missed, 4),
            f"{draft.show(prior * (1 - sensitivity))} / {draft.show(1 - evidence)} = {draft.show(missed)}",
        )
    if level > 2:
        twice = prior * sensitivity**2 / (prior * sensitivity**2 + (1 - prior) * alarm**2)
        draft.ask(
            say("Two independent tests are positive. What is the probability of the disease?"),
            Number(twice),
            mistakes=[(say("one test"), Number(posterior))],
        )
    draft.trace = trace_bayes(
        prior=[float(prior), float(1 - prior)], likelihood=[float(sensitivity), float(alarm)], lang=say.lang
    )


def gaussian(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Mean, variance and density of two classes; the class of a value."""
    say = draft.say

    def make() -> tuple[list[int], list[int], int]:
        base = int(draw.integers(5, 20))
        first = sorted((base + draw.integers(0, 9, size=4)).tolist())
        second = sorted((base + 4 + draw.integers(0, 9, size=4)).tolist())
        return first, second, base + int(draw.integers(2, 12))

    def fits(made: tuple[list[int], list[int], int]) -> bool:
        first, second, x = made
        if np.var(first) < 1 or np.var(second) < 1 or np.mean(first) == np.mean(second):
            return False
        share = _density(first, x) / (_density(first, x) + _density(second, x))
        return 0.1 < share < 0.9 and abs(share - 0.5) > 0.05

    first, second, x = until(make, fits)
    draft.text(say("Values of a numeric attribute in the classes A and B. Both classes are equally frequent."))
    draft.table([say("class"), "1", "2", "3", "4"], [["A", *first], ["B", *second]])
    draft.text(say("The variance is the mean of the squared deviations (divided by n)."))
    draft.facts = {"A": first, "B": second, "x": x}
    for name, values in (("A", first), ("B", second)) if level > 1 else (("A", first),):
        mean = Fraction(sum(values), 4)
        variance = sum((value - mean) ** 2 for value in values) / 4
        draft.ask(
            say("What is the mean of class {name}?", name=name),
            Number(mean, 2),
            f"({' + '.join(map(str, values))})/4 = {say.short(float(mean))}",
        )
        draft.ask(
            say("What is the variance of class {name}?", name=name),
            Number(variance, 2),
            mistakes=[
                (say("divided by n − 1"), Number(variance * 4 / 3, 2)),
                (say("the standard deviation"), Number(sqrt(variance), 2)),
            ],
        )
    for name, values in (("A", first), ("B", second)) if level > 1 else (("A", first),):
        mean, variance, density = Fraction(sum(values), 4), float(np.var(values)), _density(values, x)
        draft.ask(
            say("What is the normal density of class {name} at {x}?", name=name, x=str(x)),
            Number(density, 4),
            f"1/√(2π·{say.short(variance)}) · exp(−({x} − {say.short(float(mean))})²/(2·{say.short(variance)})) "
            f"= {draft.show(density)}",
            mistakes=[(say("without the factor before exp"), Number(density * sqrt(2 * pi * variance), 4))],
        )
    a, b = _density(first, x), _density(second, x)
    if level > 1:
        draft.ask(
            say("What is the posterior probability of A at {x}?", x=str(x)),
            Number(a / (a + b)),
            f"{draft.show(a)} / ({draft.show(a)} + {draft.show(b)}) = {draft.show(a / (a + b))}",
        )
        draft.ask(say("Which class does the value {x} get?", x=str(x)), Word("A" if a > b else "B"))
    if level > 2:
        share = 3 * b / (a + 3 * b)
        draft.ask(
            say("Class B is three times as frequent. What is now the posterior probability of B at {x}?", x=str(x)),
            Number(share),
            f"3·{draft.show(b)} / ({draft.show(a)} + 3·{draft.show(b)}) = {draft.show(share)}",
        )


def _density(values: list[int], x: int) -> float:
    mean, variance = float(np.mean(values)), float(np.var(values))
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(2 * pi * variance)
