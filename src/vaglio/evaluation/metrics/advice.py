"""Which measure to look at, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vaglio.evaluation.evaluation import Evaluation

__all__ = ["IMBALANCE", "evaluation_advice"]

# The largest class is this many times the smallest: accuracy then mostly measures the largest class.
IMBALANCE = 3.0


def evaluation_advice(evaluation: Evaluation) -> tuple[str, ...]:
    """Remarks on this evaluation, most important first."""
    return (
        *_about_size(evaluation),
        *_about_balance(evaluation),
        *_about_errors(evaluation),
        *_about_averages(evaluation),
        *_about_undefined(evaluation),
    )


def _about_size(evaluation: Evaluation) -> list[str]:
    accuracy = evaluation.accuracy
    if accuracy.high - accuracy.low <= 0.1:
        return []
    return [
        f"There are only {evaluation.n_rows} test rows: the true accuracy may lie anywhere from "
        f"{accuracy.low:.0%} to {accuracy.high:.0%}."
    ]


def _about_balance(evaluation: Evaluation) -> list[str]:
    support = evaluation.rates.support
    present = support[support > 0]
    if len(present) < 2:
        return ["Only one class occurs in these rows: only the recall of that class can be measured."]
    share = present.max() / present.sum()
    if present.max() < IMBALANCE * present.min():
        curve = ["The classes are balanced: accuracy and the ROC curve are suitable measures."]
        return curve if evaluation.binary else []
    largest = evaluation.labels[int(np.argmax(support))]
    return [
        f"The classes are imbalanced: always predicting {largest!s} would be correct for {share:.0%} of the rows, "
        f"so accuracy is misleading; look at F1 (macro {evaluation.average('f1', 'macro'):.2f}) "
        "and at the precision-recall curve rather than the ROC curve."
    ]


def _about_errors(evaluation: Evaluation) -> list[str]:
    if not evaluation.binary:
        return []
    k = evaluation.positive_index
    precision = float(evaluation.rates.of("precision", warn=False)[k])
    recall = float(evaluation.rates.of("tpr", warn=False)[k])
    if abs(precision - recall) < 0.1:
        return []
    which = "misses many rows of the class" if recall < precision else "predicts the class for too many rows"
    return [
        f"For {evaluation.labels[k]!s}, precision is {precision:.2f} and recall {recall:.2f}: the model {which}. "
        "If one kind of error costs more, look at both measures and change the threshold."
    ]


def _about_averages(evaluation: Evaluation) -> list[str]:
    if evaluation.binary:
        return []
    values = {name: evaluation.average("f1", name) for name in ("macro", "weighted", "micro")}
    if max(values.values()) - min(values.values()) < 0.02:
        return []
    return [
        "The averages of F1 differ: use macro if all classes are equally important, weighted if large classes "
        "should count more, micro if all rows are equally important."
    ]


def _about_undefined(evaluation: Evaluation) -> list[str]:
    never = [str(label) for label, none in zip(evaluation.labels, evaluation.rates.undefined("precision")) if none]
    if not never:
        return []
    return [
        f"No row was predicted as {', '.join(never)}: its precision is undefined and given as "
        f"{evaluation.rates.zero_division:g}."
    ]
