"""Each remark is made from its limit on, and not before."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.evaluation import Evaluation, Rates
from vaglio.evaluation.metrics.advice import evaluation_advice
from vaglio.evaluation.metrics.intervals import Estimate


class Stub:
    """As much of an evaluation as the advice looks at, from a confusion matrix."""

    def __init__(self, confusion, interval=(0.9, 0.95), positive=1):
        self.rates = Rates(np.array(confusion, dtype=float))
        self.labels = tuple("abc"[: len(confusion)])
        self.binary, self.positive_index = len(confusion) == 2, positive
        self.n_rows = int(self.rates.confusion.sum())
        self.accuracy = Estimate(self.rates.accuracy, *interval)
        self.probability, self.cost = False, None

    def average(self, rate, average):
        return self.rates.average(rate, average, warn=False)


def advice(*arguments, **options):
    return " | ".join(evaluation_advice(Stub(*arguments, **options)))


@pytest.mark.parametrize(("width", "said"), [(0.125, True), (0.0625, False)])
def test_a_wide_interval_is_mentioned(width, said):
    text = advice([[40, 0], [0, 40]], (0.75, 0.75 + width))
    assert ("There are only 80 test rows" in text) == said
    assert ("from 75% to 88%" in text) == said


@pytest.mark.parametrize(("largest", "balanced"), [(59, True), (60, False)])
def test_classes_are_imbalanced_from_three_to_one_on(largest, balanced):
    text = advice([[largest, 0], [0, 20]])
    assert ("classes are balanced" in text) == balanced
    assert (f"always predicting a would be correct for {largest / (largest + 20):.0%}" in text) != balanced
    assert ("F1 (macro 1.00)" in text) != balanced
    # With more classes there is no one ROC curve to recommend; a class without rows is not the smallest.
    assert advice([[largest, 0, 0], [0, 20, 0], [0, 0, 20]]).count("balanced") == (not balanced)
    assert advice([[largest, 0, 0], [0, 20, 0], [0, 0, 0]]).count("imbalanced") == (not balanced)


def test_one_class_alone_and_two_are_told_apart():
    assert "Only one class occurs" in advice([[9, 1], [0, 0]])
    assert "Only one class occurs" not in advice([[9, 1], [0, 1]])


@pytest.mark.parametrize(
    ("confusion", "positive", "said"),
    [
        ([[20, 0], [10, 10]], 1, "For b, precision is 1.00 and recall 0.50: the model misses many rows of the class"),
        ([[20, 0], [10, 10]], 0, "For a, precision is 0.67 and recall 1.00: the model predicts the class for too many"),
        ([[10, 10], [8, 12]], 1, None),
    ],
)
def test_precision_and_recall_apart_for_the_positive_class(confusion, positive, said):
    text = advice(confusion, positive=positive)
    assert said in text if said else "recall" not in text


def test_the_averages_of_f1_are_explained_where_they_differ():
    assert "The averages of F1 differ" in advice([[80, 0, 0], [10, 10, 0], [10, 0, 10]])
    assert "The averages of F1 differ" not in advice([[30, 0, 0], [0, 30, 0], [0, 1, 29]])
    assert "The averages of F1 differ" not in advice([[80, 0], [10, 10]])


def test_classes_that_are_never_predicted_are_named():
    text = advice([[8, 0, 0], [8, 0, 0], [8, 0, 0]])
    assert "No row was predicted as b and c: the precision is undefined and reported as 0." in text
    assert "No row" not in advice([[8, 0], [0, 8]])


def test_the_most_important_remark_comes_first():
    remarks = Evaluation.from_predictions(["no"] * 9 + ["yes"], ["no"] * 10).advice
    starts = ["There are only 10", "The classes are imbalanced", "No row was predicted"]
    assert [text[: len(start)] for text, start in zip(remarks, starts, strict=True)] == starts
