"""Exercises on measures: a confusion matrix, a ranking."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np

from vaglio.exercises.answers import Number, Words
from vaglio.exercises.drawing import until
from vaglio.exercises.sheet import Draft
from vaglio.tracing import trace_metrics, trace_roc


def metrics(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Accuracy, precision, recall, F1; kappa and Matthews' coefficient."""
    say = draft.say
    tp, fn, fp, tn = until(
        lambda: [int(each) for each in draw.integers(2, 40, size=4)],
        lambda m: sum(m) in (50, 60, 80, 100, 120) and len(set(m)) == 4 and m[0] * m[3] > m[1] * m[2],
    )
    n = tp + fn + fp + tn
    draft.text(say("A confusion matrix. The positive class is P."))
    draft.table([say("true \\ predicted"), "P", "N"], [["P", tp, fn], ["N", fp, tn]])
    draft.facts = {"matrix": [[tp, fn], [fp, tn]]}
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    accuracy = Fraction(tp + tn, n)
    f1 = 2 * precision * recall / (precision + recall)
    draft.ask(
        say("What is the accuracy?"),
        Number(accuracy),
        f"({tp} + {tn})/{n}",
        mistakes=[(say("the error rate"), Number(1 - accuracy))],
    )
    draft.ask(
        say("What is the precision of P?"),
        Number(precision),
        f"{tp}/({tp} + {fp})",
        mistakes=[(say("the recall"), Number(recall)), (say("the precision of N"), Number(Fraction(tn, tn + fn)))],
    )
    draft.ask(
        say("What is the recall of P?"),
        Number(recall),
        f"{tp}/({tp} + {fn})",
        mistakes=[(say("the precision"), Number(precision)), (say("the specificity"), Number(Fraction(tn, tn + fp)))],
    )
    draft.ask(
        say("What is F1 of P?"),
        Number(f1),
        f"2·{draft.show(precision)}·{draft.show(recall)} / ({draft.show(precision)} + {draft.show(recall)}) "
        f"= {draft.show(f1)}",
        mistakes=[(say("the arithmetic mean"), Number((precision + recall) / 2))],
    )
    if level > 1:
        expected = Fraction((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn), n * n)
        kappa = (accuracy - expected) / (1 - expected)
        draft.ask(
            say("What is the specificity (the recall of N)?"), Number(Fraction(tn, tn + fp)), f"{tn}/({tn} + {fp})"
        )
        draft.ask(
            say("Which accuracy would chance have with the same totals of rows and columns?"),
            Number(expected),
            f"({tp + fn}·{tp + fp} + {fp + tn}·{fn + tn})/{n}² = {draft.show(expected)}",
        )
        draft.ask(
            say("What is Cohen's kappa?"),
            Number(kappa),
            f"({draft.show(accuracy)} − {draft.show(expected)})/(1 − {draft.show(expected)}) = {draft.show(kappa)}",
            mistakes=[(say("not divided by 1 − chance"), Number(accuracy - expected))],
        )
    if level > 2:
        mcc = (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        draft.ask(say("What is Matthews' correlation coefficient?"), Number(mcc))
        low, high = sorted(draw.choice([1, 2, 5, 10, 20], size=2, replace=False).tolist())
        draft.facts["costs"] = [high, low]
        draft.ask(
            say(
                "A missed P costs {missed:,}, a false alarm {alarm:,}. What is the mean cost per row?",
                missed=high,
                alarm=low,
            ),
            Number(Fraction(high * fn + low * fp, n), 2),
            f"({high}·{fn} + {low}·{fp})/{n}",
        )
    draft.trace = trace_metrics(matrix=[[tp, fn], [fp, tn]], labels=["P", "N"], lang=say.lang)


def ranking(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Rates at a threshold, the area, lift, the first rows."""
    say, n = draft.say, 8 + level

    def make() -> tuple[list[int], list[int]]:
        scores = sorted(draw.choice(np.arange(5, 96), size=n, replace=False).tolist(), reverse=True)
        chance = np.linspace(0.9, 0.15, n)
        return scores, [int(draw.random() < share) for share in chance]

    scores, labels = until(make, lambda made: 3 <= sum(made[1]) <= n - 3 and made[1] != sorted(made[1], reverse=True))
    positive, negative = sum(labels), n - sum(labels)
    draft.text(say("Rows in the order of their score, with their true class."))
    shown = [
        [i, say.fixed(s / 100, 2), "P" if y else "N"] for i, (s, y) in enumerate(zip(scores, labels, strict=True), 1)
    ]
    draft.table([say("row"), say("score"), say("class")], shown)
    draft.facts = {"scores": [s / 100 for s in scores], "labels": labels}
    cut = int(draw.integers(3, n - 2))
    hits, alarms = sum(labels[:cut]), cut - sum(labels[:cut])
    threshold = (scores[cut - 1] + scores[cut]) / 200
    told = say.fixed(threshold, 3)
    draft.facts["threshold"] = threshold
    draft.ask(
        say("With the threshold {threshold}, what is the true positive rate?", threshold=told),
        Number(Fraction(hits, positive)),
        f"{hits}/{positive}",
        mistakes=[(say("the precision"), Number(Fraction(hits, cut)))],
    )
    draft.ask(
        say("And the false positive rate?"),
        Number(Fraction(alarms, negative)),
        f"{alarms}/{negative}",
        mistakes=[(say("1 − precision"), Number(Fraction(alarms, cut)))],
    )
    ordered = sum(labels[i] > labels[j] for i in range(n) for j in range(i + 1, n))
    draft.ask(
        say("What is the area under the ROC curve?"),
        Number(Fraction(ordered, positive * negative)),
        f"{ordered}/({positive}·{negative})",
        mistakes=[(say("the area above the curve"), Number(1 - Fraction(ordered, positive * negative)))],
    )
    top = max(2, n // 3)
    found = sum(labels[:top])
    draft.ask(
        say("What is the lift of the first {n:,} rows?", n=top),
        Number(Fraction(found * n, top * positive), 2),
        f"({found}/{top}) / ({positive}/{n})",
        mistakes=[(say("the share of P, not divided by the share of all rows"), Number(Fraction(found, top), 2))],
    )
    if level > 1:
        youden = [(Fraction(sum(labels[:c]), positive) - Fraction(c - sum(labels[:c]), negative)) for c in range(1, n)]
        best = max(youden)
        draft.ask(
            say("What is the largest difference between true and false positive rate over all thresholds?"),
            Number(best),
        )
        draft.ask(
            say("Which rows would a threshold above row {row:,} call P? List them.", row=top + 1),
            Words.of(range(1, top + 1)),
        )
    if level > 2:
        precision = sum(Fraction(sum(labels[: i + 1]), i + 1) for i in range(n) if labels[i]) / positive
        draft.ask(
            say("What is the average precision, the mean of the precision at each P?"),
            Number(precision),
        )
    draft.trace = trace_roc(["P" if y else "N" for y in labels], [s / 100 for s in scores], positive="P", lang=say.lang)
