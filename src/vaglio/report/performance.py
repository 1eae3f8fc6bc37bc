"""Chapter 3: how good the chosen model is: accuracy, confusion matrix, rates per class, costs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.evaluation import CostMatrix, Evaluation
from vaglio.evaluation.labels import find_label
from vaglio.evaluation.metrics.curves import area_intervals
from vaglio.messages.figures import count, figure, interval, percent, rate
from vaglio.messages.sentences import clip, plural
from vaglio.report.curves import curves_summary
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = ["performance_chapter", "performance_sentences", "study_evaluation"]

# Bootstrap samples behind the intervals of areas: enough for two digits of a 95% interval.
_RESAMPLES = 200
# With more scores than this, sorting them for each of many classes would take minutes.
_MOST_SCORES = 30_000_000
# Pairs of classes in the list of the most frequent confusions.
_MOST_CONFUSIONS = 12
# Classes of a printed cost matrix; more would not fit the width of a page.
_MOST_COSTS = 12


def study_evaluation(study: Study, positive: Any = None) -> Evaluation:
    """The evaluation of the study, with its costs and the class that curves are drawn for."""
    evaluation = study.evaluation
    if positive is None:
        return evaluation
    return replace(evaluation, positive=find_label(str(positive), evaluation.labels))


def performance_chapter(study: Study, evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    curves = curves_summary(evaluation, limits)
    return {
        "lead": performance_sentences(study, evaluation),
        "headline": _headline(study, evaluation),
        "figures": _figures(evaluation),
        "advice": [clip(line, 400) for line in evaluation.advice],
        "strategy": study.selection.strategy.name,
        "reliability": study.selection.strategy.reliability,
        # The reader of a result does not need to know that the strategy is slow.
        "remark": study.selection.strategy.remark.removesuffix(" Slow."),
        "diagnosis": study.selection.diagnosis if study.selection.strategy.name != "zero" else "",
        "confusion": _confusion(evaluation, limits),
        "worst": [
            {"true": clip(row["true"], 40), "predicted": clip(row["predicted"], 40), "rows": count(row["rows"])}
            for row in evaluation.worst_confusions(_MOST_CONFUSIONS)
        ],
        "classes": _per_class(evaluation, limits),
        "n_classes": len(evaluation.labels),
        "cost": _cost(evaluation),
        "curves": curves,
    }


def performance_sentences(study: Study, evaluation: Evaluation) -> list[str]:
    """How good the model is, compared with always predicting the most frequent class, in sentences."""
    n = evaluation.n_rows
    learner = clip(study.selection.best.learner, 40)
    accuracy = evaluation.accuracy
    rows = "training row" if study.selection.strategy.name == "zero" else "test row"
    if study.selection.outer:
        said = [
            f"Models that were chosen and trained in this way predict {percent(accuracy.value, n)} of "
            f"{plural(n, 'row')} correctly ({evaluation.confidence:.0%} interval "
            f"{interval(accuracy.low, accuracy.high, n)}). Each row was predicted by a model that was not trained on "
            f"it. The model shown here, {learner}, was trained on all rows."
        ]
    else:
        said = [
            f"The chosen model, {learner}, predicts {percent(accuracy.value, n)} of {plural(n, rows)} correctly "
            f"({evaluation.confidence:.0%} interval {interval(accuracy.low, accuracy.high, n)})."
        ]
    said.append(_against_baseline(evaluation))
    if evaluation.cost is not None:
        said.append(_cost_sentence(evaluation))
    return said


def _against_baseline(evaluation: Evaluation) -> str:
    support = evaluation.rates.support
    baseline = float(support.max() / support.sum())
    label = clip(evaluation.labels[int(np.argmax(support))], 40)
    n = evaluation.n_rows
    sentence = f"Always predicting the most frequent class, {label}, would be correct for {percent(baseline, n)}"
    accuracy = evaluation.accuracy
    if accuracy.low > baseline:
        return f"{sentence} of them: the model is better than this baseline."
    if accuracy.high < baseline:
        return f"{sentence} of them: the model is worse than this baseline."
    return f"{sentence} of them. This lies inside the interval: the model is not shown to be better than the baseline."


def _headline(study: Study, evaluation: Evaluation) -> dict[str, Any]:
    accuracy = evaluation.accuracy
    support = evaluation.rates.support
    n = evaluation.n_rows
    return {
        "value": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "baseline": float(support.max() / support.sum()),
        "text": percent(accuracy.value, n),
        "interval": interval(accuracy.low, accuracy.high, n),
        "baseline_text": percent(float(support.max() / support.sum()), n),
        "confidence": f"{evaluation.confidence:.0%}",
        "rows": f"{n:,}",
        "kind": "the training rows" if study.selection.strategy.name == "zero" else "not used for training",
    }


def _figures(evaluation: Evaluation) -> list[dict[str, str]]:
    n = evaluation.n_rows
    rows: list[dict[str, str]] = []

    def add(name: str, value: str, between: str, meaning: str) -> None:
        rows.append({"name": name, "value": value, "interval": between, "meaning": meaning})

    accuracy = evaluation.accuracy
    between = interval(accuracy.low, accuracy.high, n)
    add("accuracy", percent(accuracy.value, n), between, "share of the rows predicted correctly")
    add("balanced accuracy", percent(_balanced(evaluation), n), "", "mean of the recall over the classes")
    add(
        "F1, macro",
        rate(evaluation.average("f1")),
        "",
        "harmonic mean of precision and recall, averaged over the classes",
    )
    add("Cohen's κ", rate(evaluation.kappa), "", "agreement beyond chance: 0 is none, 1 is complete")
    add("Matthews coefficient", rate(evaluation.matthews), "", "correlation of true and predicted classes: −1 to 1")
    for name, value, ends, meaning in _areas(evaluation):
        add(name, value, ends, meaning)
    if evaluation.brier is not None:
        add("Brier score", rate(evaluation.brier), "", "mean squared error of the probabilities: 0 is best")
    if evaluation.log_loss is not None:
        add("log loss", figure(evaluation.log_loss, 3), "", "mean of −log(probability of the true class): 0 is best")
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
            (
                "ROC area",
                rate(roc.value),
                _ends(roc),
                f"probability that a row of {name} has a higher score than a row of the other class",
            ),
            ("average precision", rate(precision.value), _ends(precision), "area under the precision-recall curve"),
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
    """The matrix; with many classes, the most frequent ones and all others together."""
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
        matrix_note = f"Of the rows of the {left_out} other classes, {count(same)} were predicted correctly."
    totals = matrix.sum(axis=1)
    return {
        "labels": labels,
        "rows": [
            {
                "label": labels[i],
                "cells": [
                    {"text": count(value), "share": float(value / totals[i]) if totals[i] else 0.0, "correct": i == j}
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
                "predicted": count(row["predicted"]),
                "recall": percent(row["tpr"], evaluation.n_rows) if row["rows"] else "–",
                "precision": "–" if row["class"] in never else percent(row["precision"], evaluation.n_rows),
                "f1": rate(row["f1"]),
            }
            for row in rows[: limits.classes]
        ],
        "left_out": max(0, len(rows) - limits.classes),
    }


def _constant_cost(evaluation: Evaluation, cost: CostMatrix) -> tuple[str, float]:
    """The class that costs least when it is predicted for every row, and its cost per row."""
    support = evaluation.rates.support
    means = (support / support.sum()) @ cost.matrix
    best = int(np.argmin(means))
    return clip(evaluation.labels[best], 40), float(means[best])


def _cost_sentence(evaluation: Evaluation) -> str:
    assert evaluation.cost is not None
    label, constant = _constant_cost(evaluation, evaluation.cost)
    return (
        f"Its predictions cost {figure(evaluation.mean_cost)} per row; always predicting {label}, the cheapest single "
        f"class, would cost {figure(constant)}."
    )


def _cost(evaluation: Evaluation) -> dict[str, Any] | None:
    if evaluation.cost is None:
        return None
    k = min(len(evaluation.labels), _MOST_COSTS)
    names = [clip(label, 24) for label in evaluation.labels[:k]]
    label, constant = _constant_cost(evaluation, evaluation.cost)
    return {
        "labels": names,
        "rows": [
            {"label": names[i], "cells": [figure(value) for value in evaluation.cost.matrix[i, :k]]} for i in range(k)
        ],
        "left_out": len(evaluation.labels) - k,
        "mean": figure(evaluation.mean_cost),
        "constant": label,
        "constant_cost": figure(constant),
    }
