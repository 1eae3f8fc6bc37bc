"""Every figure of an evaluation by its name, with the interval that suits its kind and how the predictions were made.

Text, JSON, report, studio and criteria of acceptance all read :func:`estimate`, so that a figure has one interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.metrics.areas import Area, mean_area
from vaglio.evaluation.metrics.cells import DRAWN_CLASSES, kappa_of, matthews_of, mean_rate_of
from vaglio.evaluation.metrics.intervals import Estimate, mean_interval, percentile_interval, wilson_interval
from vaglio.evaluation.metrics.rates import AVERAGES, RATES
from vaglio.messages.sentences import did_you_mean, listed

if TYPE_CHECKING:
    from vaglio.evaluation._evaluated_rows import EvaluatedRows
    from vaglio.evaluation.evaluation import Evaluation
    from vaglio.evaluation.regression_evaluation import RegressionEvaluation
    from vaglio.model.families import Task

__all__ = ["ALSO", "FIGURES", "OF_A_CLASS", "check_figure", "estimate", "names_of"]

# Figures of one class against the rest; without a class, of the positive one of two, else the mean over the classes.
OF_A_CLASS = ("recall", *RATES)
# Other words for the same figures.
ALSO = {
    "mcc": "matthews",
    "mean_cost": "cost",
    "auc": "roc_auc",
    "sensitivity": "tpr",
    "specificity": "tnr",
    "mean_error": "bias",
    "median_absolute_error": "median_ae",
}

# The smallest probability that log loss counts, as in scikit-learn.
_LEAST = float(np.finfo(np.float64).eps)


def estimate(evaluation: EvaluatedRows, name: str, label: object = None) -> Estimate | None:
    """Return a figure with its interval; None where it is undefined, or needs scores or costs that are missing.

    The ends are NaN where there is no interval: of kappa and the like of very many classes, and of one row.

    Parameters
    ----------
    evaluation : Evaluation or RegressionEvaluation
    name : str
        One of :data:`FIGURES` of its task or :data:`ALSO`, for example "macro_f1" or "rmse".
    label : optional
        The class of a rate; by default the positive one of two, or the mean over the classes.
    """
    name = ALSO.get(name, name)
    check_figure(name, evaluation.task)
    of: Any = evaluation
    return _OF_NUMBERS[name](of) if evaluation.task == "regression" else _of_classes(of, name, label)


def names_of(task: Task) -> tuple[str, ...]:
    """Return every name of a figure of this task, the other words among them.

    Parameters
    ----------
    task : {"classification", "regression"}
    """
    return (*FIGURES[task], *(word for word, name in ALSO.items() if name in FIGURES[task]))


def check_figure(name: str, task: Task) -> None:
    """Refuse a figure that is not one of this task.

    Parameters
    ----------
    name : str
        A figure, or another word for it.
    task : {"classification", "regression"}
    """
    known = ALSO.get(name, name)
    if known in FIGURES[task]:
        return
    if not any(known in names for names in FIGURES.values()):
        names = names_of(task)
        hint = did_you_mean(name, names, most=len(names))
        raise InputError("unknown-measure", "There is no measure {measure!r}; {hint}", measure=name, hint=hint)
    if task == "regression":
        raise InputError(
            "measure-of-classes",
            "{measure} is a measure of predicted classes; numbers are predicted here. Use one of {names}.",
            measure=name,
            names=listed(FIGURES[task], last="or"),
        )
    raise InputError(
        "measure-of-numbers",
        "{measure} is a measure of predicted numbers; classes are predicted here. Use for example {names}.",
        measure=name,
        names=listed(("accuracy", "macro_f1", "roc_auc", "cost"), last="or"),
    )


def _of_classes(evaluation: Evaluation, name: str, label: object) -> Estimate | None:
    if name in _WHOLE:
        return _WHOLE[name](evaluation)
    kind, _, rate = name.partition("_")
    if kind in AVERAGES:
        return _average(evaluation, rate, kind)
    if label is None and not evaluation.binary:
        return _average(evaluation, name, "macro")
    found = evaluation.rate(name, label)
    return None if math.isnan(found.value) else found


def rate_interval(top: float, bottom: float, rate: str, confidence: float) -> Estimate:
    """Wilson's interval of a share of rows.

    F1 is not a share of rows but grows with one: tp / (tp + fp + fn), of the rows of the class or predicted as it.
    """
    if rate != "f1":
        return wilson_interval(top, bottom, confidence)
    share = wilson_interval(top / 2, bottom - top / 2, confidence)
    value, low, high = (2 * end / (1 + end) for end in (share.value, share.low, share.high))
    return Estimate(value, low, high, confidence)


def _average(evaluation: Evaluation, rate: str, average: str) -> Estimate:
    rate = {"recall": "tpr"}.get(rate, rate)
    value = evaluation.average(rate, average)
    return _of_cells(evaluation, value, mean_rate_of(rate, average, evaluation.rates.undefined(rate)))


def _balanced(evaluation: Evaluation) -> Estimate:
    """The mean recall of the classes that occur."""
    absent = evaluation.rates.support <= 0
    recall = evaluation.rates.of("tpr", warn=False)[~absent]
    share = len(absent) / len(recall)
    macro = mean_rate_of("tpr", "macro", absent)
    return _of_cells(evaluation, float(recall.mean()), lambda cells: macro(cells) * share)


def _of_cells(evaluation: Evaluation, value: float, measure: Callable[[np.ndarray], np.ndarray]) -> Estimate:
    """A figure of the confusion matrix, with the interval of draws of the matrix."""
    if len(evaluation.labels) > DRAWN_CLASSES:
        return Estimate(value, math.nan, math.nan, evaluation.confidence)
    return percentile_interval(value, measure(evaluation.drawn_cells), evaluation.confidence)


def _cost(evaluation: Evaluation) -> Estimate | None:
    if evaluation.cost is None:
        return None
    matrix, value = (
        evaluation.cost.matrix,
        evaluation.cost.mean_cost(evaluation.true, evaluation.predicted, evaluation.weight),
    )
    return _of_cells(evaluation, value, lambda cells: np.einsum("dij,ij->d", cells, matrix))


def _squared(p: np.ndarray, true: np.ndarray) -> np.ndarray:
    rows = np.arange(len(p))
    return np.asarray((np.square(p).sum(axis=1) + 1 - 2 * p[rows, true]) / 2)


def _logarithmic(p: np.ndarray, true: np.ndarray) -> np.ndarray:
    total = p.sum(axis=1)
    return np.asarray(-np.log(np.clip(p[np.arange(len(p)), true] / total, _LEAST, 1 - _LEAST)))


def _loss(of: Callable[[np.ndarray, np.ndarray], np.ndarray], most: float) -> Callable[[Evaluation], Estimate | None]:
    """The mean loss of probabilities, which is at most ``most``."""

    def measured(evaluation: Evaluation) -> Estimate | None:
        p = evaluation.scores
        if not evaluation.probability or p is None or p.shape[1] < 2:
            return None
        losses = of(p, evaluation.true)
        by_rows = mean_interval(
            losses, evaluation.weight, effect=evaluation.design_effect, confidence=evaluation.confidence
        )
        if math.isnan(by_rows.low) and len(p) < 2:
            return by_rows
        low, high = _loss_by_errors(evaluation, losses, of)
        ends = np.fmin(by_rows.low, low), np.fmax(by_rows.high, high)
        return Estimate(by_rows.value, max(float(ends[0]), 0.0), min(float(ends[1]), most), by_rows.confidence)

    return measured


def _loss_by_errors(
    evaluation: Evaluation, losses: np.ndarray, of: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> tuple[float, float]:
    """The mean loss at both ends of the interval of the error rate.

    Errors are rare and cost most. Where none occurred the rows say nothing about them: the loss of one is then taken
    from the class that each row has as its second.
    """
    p, weight, wrong = evaluation.scores, evaluation.weight, evaluation.true != evaluation.predicted
    assert p is not None

    def mean(values: np.ndarray, rows: np.ndarray) -> float:
        return float(np.average(values[rows], weights=None if weight is None else weight[rows])) if rows.any() else 0.0

    def weighed(rows: np.ndarray) -> bool:
        return bool(rows.any() if weight is None else weight[rows].sum() > 0)

    if not weighed(~wrong):
        return float("inf"), float("-inf")
    right = mean(losses, ~wrong)
    second = np.where(np.arange(p.shape[1]) == evaluation.true[:, None], -np.inf, p).argmax(axis=1)
    lost = mean(losses, wrong) if weighed(wrong) else mean(of(p, second), ~wrong)
    ends = [right + end * (lost - right) for end in (evaluation.error.low, evaluation.error.high)]
    return min(ends), max(ends)


def _area(which: int) -> Callable[[Evaluation], Estimate | None]:
    """An area; of several classes the mean of each against the rest."""

    def of(evaluation: Evaluation) -> Estimate | None:
        if evaluation.scores is None or len(evaluation.labels) < 2:
            return None
        parts = [pair[which] for pair in evaluation.class_areas.values()]
        return area_interval(parts[0] if len(parts) == 1 else mean_area(parts), which, evaluation)

    return of


def area_interval(area: Area, which: int, evaluation: Evaluation) -> Estimate:
    """The interval of an area under the ROC curve (0) or the precision-recall curve (1)."""
    interval = (area.roc_interval, area.logit_interval)[which]
    return interval(evaluation.design_effect, evaluation.confidence)


def _rows(evaluation: EvaluatedRows) -> Estimate:
    return Estimate(float(evaluation.n_rows), math.nan, math.nan, evaluation.confidence)


# Figures of all rows, by name.
_WHOLE: dict[str, Callable[[Evaluation], Estimate | None]] = {
    "accuracy": lambda e: e.accuracy,
    "error": lambda e: e.error,
    "balanced_accuracy": _balanced,
    "kappa": lambda e: _of_cells(e, e.kappa, kappa_of),
    "matthews": lambda e: _of_cells(e, e.matthews, matthews_of),
    "roc_auc": _area(0),
    "average_precision": _area(1),
    "brier": _loss(_squared, 1.0),
    "log_loss": _loss(_logarithmic, -math.log(_LEAST)),
    "cost": _cost,
    "rows": _rows,
}


def _mean_error(name: str) -> Callable[[RegressionEvaluation], Estimate | None]:
    return lambda evaluation: evaluation.errors.estimate(name)


# Figures of predicted numbers, by name.
_OF_NUMBERS: dict[str, Callable[[RegressionEvaluation], Estimate | None]] = {
    "rmse": _mean_error("rmse"),
    "mae": _mean_error("mae"),
    "median_ae": lambda e: e.errors.median(),
    "r2": _mean_error("r2"),
    "explained_variance": _mean_error("explained_variance"),
    "mape": lambda e: None if e.near_zero else e.errors.estimate("mape"),
    "bias": _mean_error("bias"),
    "cost": lambda e: None if e.cost is None else e.errors.estimate("cost"),
    "rows": _rows,
}

# What can be asked of an evaluation, by what is predicted.
FIGURES: dict[Task, tuple[str, ...]] = {
    "classification": (*_WHOLE, *OF_A_CLASS, *(f"{kind}_{rate}" for kind in AVERAGES for rate in OF_A_CLASS)),
    "regression": tuple(_OF_NUMBERS),
}
