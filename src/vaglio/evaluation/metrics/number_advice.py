"""What the measures of predicted numbers say, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.messages.figures import figure
from vaglio.messages.message import Message

if TYPE_CHECKING:
    from vaglio.evaluation.regression_evaluation import RegressionEvaluation

__all__ = ["number_advice"]

# RMSE of so many times MAE: of normal errors it is 1.25 times, of a few large ones more.
_FEW_LARGE = 2.0
# An interval of R² as wide as this says little.
_WIDE = 0.3


def number_advice(evaluation: RegressionEvaluation) -> tuple[Message, ...]:
    """Remarks on this evaluation, most important first."""
    return (
        *_about_the_mean(evaluation),
        *_about_size(evaluation),
        *_about_the_median(evaluation),
        *_about_bias(evaluation),
        *_about_tails(evaluation),
        *_about_costs(evaluation),
        *_about_percentages(evaluation),
    )


def _about_the_mean(evaluation: RegressionEvaluation) -> list[Message]:
    found = evaluation.estimate("r2")
    if found is None:
        return [Message("constant-target", "The target does not vary in these rows, so there is no R².")]
    told = {"r2": found.value, "low": found.low, "high": found.high}
    if found.value <= 0 or found.low <= 0:
        if found.high < 0:
            return [Message("worse-than-mean", "R² {r2:.2f}: worse than always predicting the mean.", **told)]
        return [Message("no-better-than-mean", "R² {r2:.2f}: no better than always predicting the mean.", **told)]
    return [
        Message(
            "better-than-mean",
            "The predictions explain {r2:.0%} of the variance: RMSE is {rmse}, and {mean} if the mean is always "
            "predicted.",
            r2=found.value,
            rmse=figure(evaluation.rmse),
            mean=figure(evaluation.of_mean.rmse),
        )
    ]


def _about_size(evaluation: RegressionEvaluation) -> list[Message]:
    found = evaluation.estimate("r2")
    if found is None or not found.high - found.low > _WIDE:
        return []
    return [
        Message(
            "few-test-rows-of-numbers",
            "There are only {n:,} test {n:row|rows}: the true R² may be anywhere from {low:.2f} to {high:.2f}.",
            n=evaluation.n_rows,
            low=found.low,
            high=found.high,
        )
    ]


def _about_the_median(evaluation: RegressionEvaluation) -> list[Message]:
    r2, other = evaluation.r2, evaluation.of_median.mae
    if r2 is None or r2 <= 0 or evaluation.mae < other:
        return []
    return [
        Message(
            "no-better-than-median",
            "By absolute errors the predictions are no better than the median: MAE is {mae}, and {median} if the "
            "median is always predicted.",
            mae=figure(evaluation.mae),
            median=figure(other),
        )
    ]


def _about_bias(evaluation: RegressionEvaluation) -> list[Message]:
    found = evaluation.estimate("bias")
    # Whoever predicts a quantile, as asymmetric costs ask, is biased on purpose.
    if found is None or evaluation.cost is not None or found.low != found.low or 0 in found:
        return []
    told = {"bias": figure(abs(found.value))}
    if found.value > 0:
        return [Message("biased-high", "The predictions are too high on average, by {bias}.", **told)]
    return [Message("biased-low", "The predictions are too low on average, by {bias}.", **told)]


def _about_tails(evaluation: RegressionEvaluation) -> list[Message]:
    if not evaluation.rmse > _FEW_LARGE * evaluation.mae:
        return []
    return [
        Message(
            "few-large-errors",
            "A few large errors dominate: RMSE is {ratio:.1f} times MAE. Half of the errors are below {median}.",
            ratio=evaluation.rmse / evaluation.mae,
            median=figure(evaluation.median_ae),
        )
    ]


def _about_costs(evaluation: RegressionEvaluation) -> list[Message]:
    cost = evaluation.cost
    if cost is None:
        return []
    reached = float(np.average(evaluation.true <= evaluation.predicted, weights=evaluation.weight))
    return [
        Message(
            "costs-of-units",
            "With these costs the best prediction is the {quantile:.0%} quantile. Of the true numbers {share:.0%} are "
            "at or below the prediction.",
            quantile=cost.quantile,
            share=reached,
        )
    ]


def _about_percentages(evaluation: RegressionEvaluation) -> list[Message]:
    if not evaluation.near_zero:
        return []
    return [
        Message(
            "no-percentages",
            "Errors in percent (MAPE) are left out: {n:,} true {n:number is|numbers are} zero or near it.",
            n=evaluation.near_zero,
        )
    ]
