"""Counts along the threshold for one class against the rest, from which all curves of the report are drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import Evaluation, ThresholdTable
from vaglio.messages.figures import rate
from vaglio.messages.sentences import clip
from vaglio.report.limits import Limits

__all__ = ["curves_summary"]

# Bins of the score: twice the ten bins of the calibration curve.
_SCORE_BINS = 20


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
        return {"why_none": "This learner predicts classes only. Without scores there is no threshold to choose."}
    drawable = [k for k in range(len(support)) if 0 < support[k] < support.sum()]
    if not drawable:
        return {"why_none": "Only one class occurs in the test rows, so there is no threshold between classes."}
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
    roc, precision = evaluation.roc(label), evaluation.precision_recall(label)
    return {
        "label": clip(label, 40),
        "rest": clip(evaluation.labels[1 - k], 40) if evaluation.binary else "all others",
        "threshold": [_rounded(t) for t in table.thresholds[chosen]],
        "tp": table.tp[chosen].round(4).tolist(),
        "fp": table.fp[chosen].round(4).tolist(),
        "positives": float(table.tp[-1]),
        "negatives": float(table.fp[-1]),
        "start": int(np.flatnonzero(chosen == start)[0]),
        "usual": usual,
        "as_decided": as_decided,
        "roc_area": rate(roc.auc),
        "average_precision": rate(precision.average_precision),
        "calibration": _calibration(evaluation, label),
        "scores": _score_counts(evaluation, label),
        "cost": _cost_of_cells(evaluation, k),
        "rows": _table_rows(table),
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


def _calibration(evaluation: Evaluation, label: Any) -> list[list[float]]:
    """Mean probability, observed share and rows of each tenth of the scale."""
    if not evaluation.probability:
        return []
    curve = evaluation.calibration(label)
    bins = zip(curve.predicted.tolist(), curve.observed.tolist(), curve.weight.tolist())
    return [[round(p, 4), round(o, 4), round(n, 2)] for p, o, n in bins]


def _score_counts(evaluation: Evaluation, label: Any) -> dict[str, Any]:
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


def _table_rows(table: ThresholdTable) -> list[dict[str, float | None]]:
    """A few thresholds to print: one for each twentieth of the rows predicted."""
    shares = table.measures()["predicted"]
    at = np.unique(np.searchsorted(shares, np.linspace(0.05, 1, 20)).clip(0, len(table) - 1))
    return [{"threshold": _rounded(table.thresholds[i]), "tp": table.tp[i], "fp": table.fp[i]} for i in at.tolist()]
