"""Chapter 3: how good the chosen model is: accuracy, confusion matrix, rates per class, costs, curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import Estimate, Evaluation, ThresholdTable
from vaglio.evaluation.labels import find_label
from vaglio.messages.figures import count, figure, interval, percent, rate
from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import clip
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = [
    "curves_summary",
    "ends_text",
    "judged_rows",
    "performance_chapter",
    "performance_sentences",
    "shared_parts",
    "study_evaluation",
]

# Bins of the score: twice the ten bins of the calibration curve.
_SCORE_BINS = 20
# With more scores than this, sorting them for each of many classes would take minutes.
_MOST_SCORES = 30_000_000
# Pairs of classes in the list of the most frequent confusions.
_MOST_CONFUSIONS = 12
# Classes of a printed cost matrix; more would not fit the width of a page.
_MOST_COSTS = 12


def curves_summary(evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    """Summarise the classes one by one, each with its counts at every threshold shown.

    Parameters
    ----------
    evaluation : Evaluation
    limits : Limits

    Returns
    -------
    dict
        ``why_none`` when there is nothing to draw; else ``classes``, ``left_out``, ``probability``, ``binary``.
    """
    support = evaluation.rates.support
    if evaluation.scores is None:
        return {"why_none": text("This learner predicts only classes. Without scores there is no threshold to choose.")}
    drawable = [k for k in range(len(support)) if 0 < support[k] < support.sum()]
    if not drawable:
        return {"why_none": text("Only one class occurs in the test rows, so there is no threshold between classes.")}
    order = sorted(drawable, key=lambda k: (-support[k], k))
    if evaluation.binary or evaluation.positive is not None:
        order = [evaluation.positive_index, *(k for k in order if k != evaluation.positive_index)]
        order = [k for k in order if k in drawable]
    shown = order[: limits.classes]
    return {
        "why_none": "",
        "classes": [_one_class(evaluation, k, limits) for k in shown],
        "left_out": len(evaluation.labels) - len(shown),
        "probability": evaluation.probability,
        "binary": evaluation.binary,
    }


def _one_class(evaluation: Evaluation, k: int, limits: Limits) -> dict[str, Any]:
    label = evaluation.labels[k]
    table = evaluation.thresholds(label)
    start, usual, as_decided = _start(evaluation, k, table)
    # The table runs from the highest threshold (no row) to the lowest (all rows); the slider runs the other way.
    chosen = np.unique(np.append(_spread(table, limits.points), start))[::-1]
    roc, precision = evaluation.areas_of(label)
    # A few thresholds to print: one for each twentieth of the rows predicted.
    shares = table.measures()["predicted"]
    at = np.unique(np.searchsorted(shares, np.linspace(0.05, 1, 20)).clip(0, len(table) - 1))
    return {
        "label": clip(label, 40),
        "rest": clip(evaluation.labels[1 - k], 40) if evaluation.binary else text("all others"),
        "threshold": [_rounded(t) for t in table.thresholds[chosen]],
        "tp": table.tp[chosen].round(4).tolist(),
        "fp": table.fp[chosen].round(4).tolist(),
        "positives": float(table.tp[-1]),
        "negatives": float(table.fp[-1]),
        "start": int(np.flatnonzero(chosen == start)[0]),
        "usual": usual,
        "as_decided": as_decided,
        "roc_area": rate(roc.value),
        "average_precision": rate(precision.value),
        "calibration": _calibration(evaluation, label),
        "scores": _score_counts(evaluation, label),
        "cost": _cost_of_cells(evaluation, k),
        "rows": [
            {"threshold": _rounded(table.thresholds[i]), "tp": table.tp[i], "fp": table.fp[i]} for i in at.tolist()
        ],
    }


def _rounded(threshold: float) -> float | None:
    """Four significant digits; None above every score."""
    return float(f"{threshold:.4g}") if math.isfinite(threshold) else None


def _spread(table: ThresholdTable, most: int) -> np.ndarray:
    """Points of the table spread along the ROC curve, both ends included."""
    along = table.tp / max(table.tp[-1], 1e-12) + table.fp / max(table.fp[-1], 1e-12)
    last = len(table) - 1
    if last < most:
        return np.arange(last + 1)
    # Half of them evenly along the curve, half evenly along the scores: both long steps and dense ends keep points.
    by_curve = np.searchsorted(along, np.linspace(0, along[-1], most // 2)).clip(0, last)
    by_score = np.linspace(0, last, most // 2).round().astype(np.int64)
    return np.unique(np.concatenate([by_curve, by_score]))


def _start(evaluation: Evaluation, k: int, table: ThresholdTable) -> tuple[int, float, bool]:
    """Where the slider begins, the usual threshold, and whether the model predicts by this threshold."""
    n_predicted = float(np.sum((evaluation.predicted == k) * _weights(evaluation)))
    if not evaluation.probability and not evaluation.binary:
        # The scores have no scale of their own: start where as many rows are predicted as by the model.
        at = 1 + int(np.argmin(np.abs(table.tp[1:] + table.fp[1:] - n_predicted)))
        return at, float(table.thresholds[at]), False
    usual = _usual_threshold(evaluation, k)
    descending = -table.thresholds
    # A row whose score equals the threshold may be predicted either way, depending on how the learner breaks ties.
    candidates = [int(np.searchsorted(descending, -usual, side=side)) - 1 for side in ("right", "left")]
    hits = float(np.sum(((evaluation.predicted == k) & (evaluation.true == k)) * _weights(evaluation)))
    for at in candidates:
        if (
            evaluation.binary
            and math.isclose(table.tp[at], hits)
            and math.isclose(table.tp[at] + table.fp[at], n_predicted)
        ):
            return at, usual, True
    return candidates[0], usual, False


def _weights(evaluation: Evaluation) -> np.ndarray:
    return np.ones(evaluation.n_rows) if evaluation.weight is None else evaluation.weight


def _usual_threshold(evaluation: Evaluation, k: int) -> float:
    if not evaluation.probability:
        return 0.0
    if evaluation.binary and evaluation.cost is not None:
        try:
            return evaluation.cost.threshold(evaluation.labels[k])
        except InputError:  # errors that cost no more than correct predictions give no threshold
            return 0.5
    return 0.5


def _calibration(evaluation: Evaluation, label: object) -> list[list[float]]:
    """Mean probability, observed share with the ends of its interval, and rows of each tenth of the scale."""
    if not evaluation.probability:
        return []
    curve = evaluation.calibration(label)
    bins = zip(curve.predicted, curve.observed, curve.low, curve.high, curve.weight)
    return [[*(round(float(share), 4) for share in shares), round(float(n), 2)] for *shares, n in bins]


def _score_counts(evaluation: Evaluation, label: object) -> dict[str, Any]:
    """Shares of the rows of the class, and of the others, in bins of the score."""
    positive, score = evaluation.one_class(label)
    low, high = (0.0, 1.0) if evaluation.probability else (float(score.min()), float(score.max()))
    if not high > low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _SCORE_BINS + 1)
    shares = []
    for rows in (positive, ~positive):
        counts = np.histogram(score[rows], edges, weights=_weights(evaluation)[rows])[0]
        shares.append((counts / max(counts.sum(), 1e-12)).round(4).tolist())
    return {"low": low, "high": high, "of_class": shares[0], "of_others": shares[1]}


def _cost_of_cells(evaluation: Evaluation, k: int) -> list[float] | None:
    """Costs of true negative, false positive, false negative, true positive; for two classes only."""
    if evaluation.cost is None or not evaluation.binary:
        return None
    matrix, other = evaluation.cost.matrix, 1 - k
    return [float(v) for v in (matrix[other, other], matrix[other, k], matrix[k, other], matrix[k, k])]


def study_evaluation(study: Study, positive: Any = None) -> Any:
    """The evaluation of the study, with its costs and the class that curves are drawn for."""
    evaluation = study.evaluation
    if positive is None:
        return evaluation
    if evaluation.task == "regression":
        raise InputError(
            "positive-class-of-numbers",
            "Numbers have no positive class. Leave {option} out.",
            option=Option("positive"),
        )
    return replace(evaluation, positive=find_label(str(positive), evaluation.labels))


def shared_parts(study: Study, evaluation: Any) -> dict[str, Any]:
    """What the chapter says of classes and of numbers alike."""
    strategy = study.selection.strategy
    return {
        "intervals": evaluation.meaning,
        "advice": [clip(line, 400) for line in evaluation.advice],
        "strategy": strategy.name,
        "reliability": strategy.reliability,
        "remark": strategy.remark,
        "diagnosis": study.selection.diagnosis if strategy.name != "zero" else "",
        "numbers": None,
    }


def performance_chapter(study: Study, evaluation: Evaluation, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says of classes, as plain data."""
    curves = curves_summary(evaluation, limits)
    return {
        **shared_parts(study, evaluation),
        "lead": performance_sentences(study, evaluation),
        "headline": _headline(study, evaluation),
        "figures": _figures(evaluation),
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
    told = {
        "learner": learner,
        "n": n,
        "share": percent(accuracy.value, n),
        "confidence": evaluation.confidence,
        "interval": interval(accuracy.low, accuracy.high, n),
    }
    said: list[str] = [] if evaluation.savings is None else [evaluation.savings.in_words()]
    if study.selection.outer:
        said += [
            text(
                "Models chosen and trained in this way predict {share} of {n:,} {n:row|rows} correctly "
                "({confidence:.0%} "
                "interval {interval}). Each row was predicted by a model that was not trained on it. The model shown "
                "here, {learner}, was trained on all rows.",
                **told,
            )
        ]
    elif study.selection.strategy.name == "zero":
        said += [
            text(
                "The chosen model, {learner}, predicts {share} of {n:,} training {n:row|rows} correctly "
                "({confidence:.0%} interval {interval}).",
                **told,
            )
        ]
    else:
        said += [
            text(
                "The chosen model, {learner}, predicts {share} of {n:,} test {n:row|rows} correctly ({confidence:.0%} "
                "interval {interval}).",
                **told,
            )
        ]
    # With costs the model means to be wrong where that is cheap: more errors than the baseline say nothing against it.
    return said if evaluation.savings is not None else [*said, _against_baseline(evaluation)]


def _against_baseline(evaluation: Evaluation) -> str:
    support = evaluation.rates.support
    baseline = float(support.max() / support.sum())
    label = clip(evaluation.labels[int(np.argmax(support))], 40)
    told = {"label": label, "share": percent(baseline, evaluation.n_rows)}
    accuracy = evaluation.accuracy
    if accuracy.low > baseline:
        return text(
            "Always predicting the most frequent class, {label}, would be correct for {share}: the model is better "
            "than "
            "this baseline.",
            **told,
        )
    if accuracy.high < baseline:
        return text(
            "Always predicting the most frequent class, {label}, would be correct for {share}: the model is worse than "
            "this baseline.",
            **told,
        )
    return text(
        "Always predicting the most frequent class, {label}, would be correct for {share}. This lies inside the "
        "interval: the model is not significantly better than the baseline.",
        **told,
    )


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
        "confidence": evaluation.confidence,
        "rows": judged_rows(study, evaluation),
    }


def judged_rows(study: Study, evaluation: Any) -> Message:
    """Which rows the model was evaluated on."""
    n = evaluation.n_rows
    if study.selection.strategy.name == "zero":
        return text("evaluated on {n:,} rows, the training rows", n=n)
    if evaluation.overlap is not None:
        return text("evaluated on {n:,} rows, training rows among them", n=n)
    return text("evaluated on {n:,} rows not used for training", n=n)


def _figures(evaluation: Evaluation) -> list[dict[str, str]]:
    n = evaluation.n_rows
    rows: list[dict[str, str]] = []

    def add(name: str, value: str, between: str, meaning: str) -> None:
        rows.append({"name": name, "value": value, "interval": between, "meaning": meaning})

    shares = {
        "accuracy": (text("accuracy"), text("share of the rows predicted correctly")),
        "balanced_accuracy": (text("balanced accuracy"), text("mean of the recall over the classes")),
    }
    for measure, (name, meaning) in shares.items():
        found = evaluation.estimate(measure)
        if found is not None:
            add(name, percent(found.value, n), ends_text(found, partial(percent, rows=n)), meaning)
    for measure, (title, told) in _meanings(evaluation).items():
        found = evaluation.estimate(measure)
        if found is not None:
            digits = partial(figure, digits=3) if measure == "log_loss" else rate
            add(title, digits(found.value), ends_text(found, digits), told)
    return rows


def _meanings(evaluation: Evaluation) -> dict[str, tuple[str, str]]:
    """Name and meaning of each figure that is not a share of rows."""
    agreement = {
        "macro_f1": (
            text("F1, macro"),
            text("harmonic mean of precision and recall, averaged over the classes"),
        ),
        "kappa": (text("Cohen's κ"), text("agreement beyond chance: 0 is none, 1 is complete")),
        "matthews": (text("Matthews coefficient"), text("correlation of true and predicted classes: −1 to 1")),
    }
    of_probabilities = {
        "brier": (text("Brier score"), text("mean squared error of the probabilities: 0 is best")),
        "log_loss": (text("log loss"), text("mean of −log(probability of the true class): 0 is best")),
    }
    return agreement | _areas(evaluation) | of_probabilities


def _areas(evaluation: Evaluation) -> dict[str, tuple[str, str]]:
    """The areas: of one class for two classes, as means over the classes for more."""
    if evaluation.binary:
        name = clip(evaluation.labels[evaluation.positive_index], 30)
        ranked = text("probability that a row of {label} has a higher score than a row of the other class", label=name)
        return {
            "roc_auc": (text("ROC area"), ranked),
            "average_precision": (text("average precision"), text("area under the precision-recall curve")),
        }
    if evaluation.scores is not None and evaluation.scores.size > _MOST_SCORES:
        return {}
    return {
        "roc_auc": (text("ROC area, mean"), text("each class against the rest")),
        "average_precision": (text("average precision, mean"), text("each class against the rest")),
    }


def ends_text(estimate: Estimate, digits: Callable[[float], str]) -> str:
    """Return the ends of an interval as text; empty if it is not known."""
    if not math.isfinite(estimate.low):
        return ""
    return text("{low} to {high}", low=digits(estimate.low), high=digits(estimate.high))


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
        labels = [*(labels[i] for i in keep), text("{n:,} others", n=left_out)]
        matrix_note = text(
            "Of the rows of the {n:,} other classes, {same} were predicted correctly.", n=left_out, same=count(same)
        )
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


def _cost(evaluation: Evaluation) -> dict[str, Any] | None:
    if evaluation.cost is None or evaluation.savings is None:
        return None
    k = min(len(evaluation.labels), _MOST_COSTS)
    names = [clip(label, 24) for label in evaluation.labels[:k]]
    label, constant = evaluation.savings.policies[0]
    return {
        "labels": names,
        "rows": [
            {"label": names[i], "cells": [figure(value) for value in evaluation.cost.matrix[i, :k]]} for i in range(k)
        ],
        "left_out": len(evaluation.labels) - k,
        "mean": figure(evaluation.mean_cost),
        "constant": clip(label, 40),
        "constant_cost": figure(constant),
    }
