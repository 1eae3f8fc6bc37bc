"""Which measure to look at, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.messages.message import Message, Option
from vaglio.messages.sentences import listed

if TYPE_CHECKING:
    from vaglio.evaluation.evaluation import Evaluation

__all__ = ["IMBALANCE", "evaluation_advice"]

# The largest class is this many times the smallest: accuracy then mostly measures the largest class.
IMBALANCE = 3.0


def evaluation_advice(evaluation: Evaluation) -> tuple[Message, ...]:
    """Remarks on this evaluation, most important first; with costs, only those that bear on costs."""
    if evaluation.cost is not None:
        found = (_about_threshold, _about_probabilities, _about_size, _about_undefined)
        return tuple(line for about in found for line in about(evaluation))
    return (
        *_about_size(evaluation),
        *_about_balance(evaluation),
        *_about_errors(evaluation),
        *_about_probabilities(evaluation),
        *_about_averages(evaluation),
        *_about_undefined(evaluation),
    )


def _about_size(evaluation: Evaluation) -> list[Message]:
    accuracy = evaluation.accuracy
    if accuracy.high - accuracy.low <= 0.1:
        return []
    return [
        Message(
            "few-test-rows",
            "There are only {n:,} test {n:row|rows}: the true accuracy may be anywhere from {low:.0%} to {high:.0%}.",
            n=evaluation.n_rows,
            low=accuracy.low,
            high=accuracy.high,
        )
    ]


def _about_balance(evaluation: Evaluation) -> list[Message]:
    support = evaluation.rates.support
    present = support[support > 0]
    if len(present) < 2:
        return [
            Message("one-class-evaluated", "Only one class occurs in these rows, so only its recall can be measured.")
        ]
    share = present.max() / present.sum()
    if present.max() < IMBALANCE * present.min():
        curve = [
            Message("balanced-classes", "The classes are balanced: accuracy and the ROC curve are suitable measures.")
        ]
        return curve if evaluation.binary else []
    largest = evaluation.labels[int(np.argmax(support))]
    return [
        Message(
            "imbalanced-classes",
            "The classes are imbalanced: always predicting {label} would be correct for {share:.0%} of the rows, so "
            "accuracy is misleading. Use F1 (macro {f1:.2f}) and the precision-recall curve instead of the ROC curve.",
            label=str(largest),
            share=float(share),
            f1=evaluation.average("f1", "macro"),
        )
    ]


def _about_errors(evaluation: Evaluation) -> list[Message]:
    if not evaluation.binary:
        return []
    k = evaluation.positive_index
    precision = float(evaluation.rates.of("precision", warn=False)[k])
    recall = float(evaluation.rates.of("tpr", warn=False)[k])
    if abs(precision - recall) < 0.1:
        return []
    told = {"label": str(evaluation.labels[k]), "precision": precision, "recall": recall}
    if recall < precision:
        return [
            Message(
                "low-recall",
                "For {label}, precision is {precision:.2f} and recall {recall:.2f}: the model misses many rows of the "
                "class. If one kind of error costs more, move the threshold.",
                **told,
            )
        ]
    return [
        Message(
            "low-precision",
            "For {label}, precision is {precision:.2f} and recall {recall:.2f}: the model predicts the class for "
            "too many "
            "rows. If one kind of error costs more, move the threshold.",
            **told,
        )
    ]


def _about_probabilities(evaluation: Evaluation) -> list[Message]:
    if not evaluation.probability or len(evaluation.labels) < 2:
        return []
    curve = evaluation.confidence_curve
    told = {"error": curve.expected_error, "perfect": curve.perfect_error}
    if told["error"] <= 2 * told["perfect"]:
        return [
            Message(
                "calibration-error",
                "The calibration error is {error:.3f}. On so many rows, probabilities that are exactly right would "
                "score {perfect:.3f}.",
                **told,
            )
        ]
    return [
        Message(
            "calibration-error-large",
            "The calibration error is {error:.3f}. On so many rows, probabilities that are exactly right would score "
            "{perfect:.3f}. Train with {option} before you decide by these probabilities.",
            option=Option("calibrate='temperature'", flag="--set calibrate=temperature"),
            **told,
        )
    ]


def _about_threshold(evaluation: Evaluation) -> list[Message]:
    if evaluation.cost is None or not evaluation.binary or evaluation.scores is None:
        return []
    chosen = evaluation.least_cost_threshold()
    if not np.isfinite([chosen.threshold, chosen.expected]).all():
        return []
    return [
        Message(
            "least-cost-threshold",
            "A threshold of {threshold:.3g} for {label} costs least on these rows: {least:.3g} per row. Chosen in this "
            "way, it costs {expected:.3g} per row on other rows.",
            threshold=chosen.threshold,
            label=str(evaluation.labels[evaluation.positive_index]),
            least=chosen.cost,
            expected=chosen.expected,
        )
    ]


def _about_averages(evaluation: Evaluation) -> list[Message]:
    if evaluation.binary:
        return []
    values = {name: evaluation.average("f1", name) for name in ("macro", "weighted", "micro")}
    if max(values.values()) - min(values.values()) < 0.02:
        return []
    return [
        Message(
            "averages-differ",
            "The averages of F1 differ. Use macro if all classes are equally important, weighted if large classes "
            "should "
            "count more, micro if all rows are equally important.",
        )
    ]


def _about_undefined(evaluation: Evaluation) -> list[Message]:
    never = [str(label) for label, none in zip(evaluation.labels, evaluation.rates.undefined("precision")) if none]
    if not never:
        return []
    return [
        Message(
            "never-predicted",
            "No row was predicted as {labels}: the precision is undefined and reported as {value:g}.",
            labels=listed(never),
            value=evaluation.rates.zero_division,
        )
    ]
