"""Chapter 3: how good the chosen model is, with its confusions, rates and costs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.evaluation import CostMatrix, Evaluation
from vaglio.evaluation._rendering import worst_confusions
from vaglio.evaluation.labels import find_label
from vaglio.evaluation.metrics.curves import area_intervals
from vaglio.report.curves import curves_summary
from vaglio.report.format import count, figure, interval, percent, rate
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, plural

__all__ = ["judged_evaluation", "judgement_chapter", "judgement_sentences"]

_RESAMPLES = 200
# Beyond this many scores, sorting them for every one of many classes takes minutes for a mean few look at.
_MOST_SCORES = 30_000_000


def judged_evaluation(study: Study, positive: Any = None) -> Evaluation:
    """The evaluation of the study, with its costs and the class that curves are drawn for."""
    evaluation = study.evaluation
    cost = study.cost_matrix
    if cost is not None and {str(x) for x in evaluation.labels} <= {str(x) for x in cost.labels}:
        evaluation = replace(evaluation, cost=cost.ordered(evaluation.labels))
    if positive is None:
        return evaluation
    return replace(evaluation, positive=find_label(str(positive), evaluation.labels))


def judgement_chapter(study: Study, evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    curves = curves_summary(evaluation, limits)
    return {
        "lead": judgement_sentences(study, evaluation),
        "headline": _headline(study, evaluation),
        "figures": _figures(evaluation),
        "advice": [clip(line, 400) for line in evaluation.advice],
        "strategy": study.selection.strategy.name,
        "reliability": study.selection.strategy.reliability,
        # Whether it was slow is of no interest to whoever reads the result.
        "remark": study.selection.strategy.remark.removesuffix(" Slow."),
        "diagnosis": study.selection.diagnosis if study.selection.strategy.name != "zero" else "",
        "confusion": _confusion(evaluation, limits),
        "worst": [
            {"true": clip(row["true"], 40), "called": clip(row["called"], 40), "rows": count(row["rows"])}
            for row in worst_confusions(evaluation, 12)
        ],
        "classes": _per_class(evaluation, limits),
        "n_classes": len(evaluation.labels),
        "cost": _cost(evaluation),
        "curves": curves,
    }


def judgement_sentences(study: Study, evaluation: Evaluation) -> list[str]:
    """How good the model is, and what guessing would reach, in sentences."""
    n = evaluation.n_rows
    learner = study.selection.best.learner
    accuracy = evaluation.accuracy
    learnt = "it had learnt from" if study.selection.strategy.name == "zero" else "it had not learnt from"
    if study.selection.outer:
        said = [
            f"Chosen and trained in this way, models are right in {percent(accuracy.value, n)} of {plural(n, 'row')}, "
            f"each judged by a model that had not learnt from it ({evaluation.confidence:.0%} interval "
            f"{interval(accuracy.low, accuracy.high, n)}). The model shown here, {learner}, learnt from all of them."
        ]
    else:
        said = [
            f"The chosen model, {learner}, is right in {percent(accuracy.value, n)} of {plural(n, 'row')} {learnt} "
            f"({evaluation.confidence:.0%} interval {interval(accuracy.low, accuracy.high, n)})."
        ]
    said.append(_against_guessing(evaluation))
    if evaluation.cost is not None:
        said.append(_cost_sentence(evaluation))
    return said


def _against_guessing(evaluation: Evaluation) -> str:
    support = evaluation.rates.support
    guess = float(support.max() / support.sum())
    label = clip(evaluation.labels[int(np.argmax(support))], 40)
    n = evaluation.n_rows
    sentence = f"Always answering {label}, the commonest class, would be right in {percent(guess, n)}"
    accuracy = evaluation.accuracy
    if accuracy.low > guess:
        return f"{sentence}: the model is better than guessing."
    if accuracy.high < guess:
        return f"{sentence}: the model is worse than guessing."
    return f"{sentence}, which lies inside the interval: by this figure the model cannot be told from guessing."


def _headline(study: Study, evaluation: Evaluation) -> dict[str, Any]:
    accuracy = evaluation.accuracy
    support = evaluation.rates.support
    n = evaluation.n_rows
    return {
        "value": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "guess": float(support.max() / support.sum()),
        "text": percent(accuracy.value, n),
        "interval": interval(accuracy.low, accuracy.high, n),
        "guess_text": percent(float(support.max() / support.sum()), n),
        "confidence": f"{evaluation.confidence:.0%}",
        "rows": f"{n:,}",
        "learnt": "all learnt from" if study.selection.strategy.name == "zero" else "none learnt from before",
    }


def _figures(evaluation: Evaluation) -> list[dict[str, str]]:
    n = evaluation.n_rows
    rows: list[dict[str, str]] = []

    def add(name: str, value: str, between: str, meaning: str) -> None:
        rows.append({"name": name, "value": value, "interval": between, "meaning": meaning})

    accuracy = evaluation.accuracy
    between = interval(accuracy.low, accuracy.high, n)
    add("accuracy", percent(accuracy.value, n), between, "rows called right")
    add("balanced accuracy", percent(_balanced(evaluation), n), "", "mean over the classes of the rows found in each")
    add("F1, macro", rate(evaluation.average("f1")), "", "precision and recall in one, mean over the classes")
    add("Cohen's κ", rate(evaluation.kappa), "", "agreement beyond chance: 0 none, 1 full")
    add("Matthews", rate(evaluation.matthews), "", "correlation of truth and answer: −1 to 1")
    for name, value, ends, meaning in _areas(evaluation):
        add(name, value, ends, meaning)
    if evaluation.brier is not None:
        add("Brier score", rate(evaluation.brier), "", "squared error of the probabilities: 0 is best")
    if evaluation.log_loss is not None:
        add("log loss", figure(evaluation.log_loss, 3), "", "surprise at the truth: 0 is best")
    return rows


def _balanced(evaluation: Evaluation) -> float:
    recall = evaluation.rates.of("tpr", warn=False)
    return float(np.mean(recall[evaluation.rates.support > 0]))


def _areas(evaluation: Evaluation) -> list[tuple[str, str, str, str]]:
    """ROC area and average precision: with intervals for two classes, as means over the classes for more."""
    if evaluation.scores is None or len(evaluation.labels) < 2:
        return []
    labels = (evaluation.labels[evaluation.positive_index],) if evaluation.binary else evaluation.labels
    if evaluation.binary:
        roc, precision = area_intervals(
            *evaluation.one_class(labels[0]), evaluation.weight, n_resamples=_RESAMPLES, seed=evaluation.seed
        )
        name = clip(labels[0], 30)
        return [
            ("ROC area", rate(roc.value), _ends(roc), f"chance that a row of {name} scores above another"),
            ("average precision", rate(precision.value), _ends(precision), "area under precision and recall"),
        ]
    if evaluation.scores.size > _MOST_SCORES:
        return []
    roc_values = [evaluation.roc(label).auc for label in labels]
    precisions = [evaluation.precision_recall(label).average_precision for label in labels]
    return [
        ("ROC area, mean", rate(_mean(roc_values)), "", "each class against the rest"),
        ("average precision, mean", rate(_mean(precisions)), "", "each class against the rest"),
    ]


def _mean(values: list[float]) -> float:
    sound = [value for value in values if math.isfinite(value)]
    return float(np.mean(sound)) if sound else float("nan")


def _ends(estimate: Any) -> str:
    if not math.isfinite(estimate.low):
        return ""
    return f"{rate(estimate.low)} to {rate(estimate.high)}"


def _confusion(evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    """The matrix; of many classes, the most frequent ones and all others together."""
    matrix = np.asarray(evaluation.confusion, dtype=np.float64)
    labels = [clip(label, 24) for label in evaluation.labels]
    left_out = 0
    if len(labels) > limits.matrix:
        order = np.argsort(-evaluation.rates.support, kind="stable")
        keep, rest = np.sort(order[: limits.matrix - 1]), np.sort(order[limits.matrix - 1 :])
        left_out = len(rest)
        same = float(np.trace(matrix[np.ix_(rest, rest)]))
        rows = np.vstack([matrix[keep], matrix[rest].sum(axis=0)])
        matrix = np.column_stack([rows[:, keep], rows[:, rest].sum(axis=1)])
        labels = [*(labels[i] for i in keep), f"{left_out} others"]
        matrix_note = f"Of the rows of the {left_out} other classes, {count(same)} were called right."
    totals = matrix.sum(axis=1)
    return {
        "labels": labels,
        "rows": [
            {
                "label": labels[i],
                "cells": [
                    {"text": count(value), "share": float(value / totals[i]) if totals[i] else 0.0, "right": i == j}
                    for j, value in enumerate(matrix[i])
                ],
                "total": count(totals[i]),
            }
            for i in range(len(labels))
        ],
        "left_out": left_out,
        "note": matrix_note if left_out else "",
    }


def _per_class(evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    rows = sorted(evaluation.per_class(), key=lambda row: -row["rows"])
    undefined = evaluation.rates.undefined("precision")
    never = {evaluation.labels[k] for k, none in enumerate(undefined) if none}
    return {
        "rows": [
            {
                "label": clip(row["class"], 40),
                "rows": count(row["rows"]),
                "called": count(row["called"]),
                "recall": percent(row["tpr"], evaluation.n_rows) if row["rows"] else "–",
                "precision": "–" if row["class"] in never else percent(row["precision"], evaluation.n_rows),
                "f1": rate(row["f1"]),
            }
            for row in rows[: limits.classes]
        ],
        "left_out": max(0, len(rows) - limits.classes),
    }


def _constant_cost(evaluation: Evaluation, cost: CostMatrix) -> tuple[str, float]:
    """The class that costs least when every row is called so, and what it costs a row."""
    support = evaluation.rates.support
    means = (support / support.sum()) @ cost.matrix
    best = int(np.argmin(means))
    return clip(evaluation.labels[best], 40), float(means[best])


def _cost_sentence(evaluation: Evaluation) -> str:
    assert evaluation.cost is not None
    label, guess = _constant_cost(evaluation, evaluation.cost)
    return (
        f"Its decisions cost {figure(evaluation.mean_cost)} a row; calling every row {label}, the cheapest constant "
        f"answer, would cost {figure(guess)}."
    )


def _cost(evaluation: Evaluation) -> dict[str, Any] | None:
    if evaluation.cost is None:
        return None
    k = min(len(evaluation.labels), 12)
    names = [clip(label, 24) for label in evaluation.labels[:k]]
    label, guess = _constant_cost(evaluation, evaluation.cost)
    return {
        "labels": names,
        "rows": [
            {"label": names[i], "cells": [figure(value) for value in evaluation.cost.matrix[i, :k]]} for i in range(k)
        ],
        "left_out": len(evaluation.labels) - k,
        "mean": figure(evaluation.mean_cost),
        "constant": label,
        "constant_cost": figure(guess),
    }
