"""What a chosen threshold promises is what it costs on other rows."""

import numpy as np
import pytest

from vaglio.evaluation.metrics.thresholds import ChosenThreshold


@pytest.mark.slow
def test_what_a_chosen_threshold_costs_is_not_its_minimum():
    random, cost = np.random.default_rng(0), np.array([[0, 1.0], [5, 0]])
    figures = []
    for _ in range(60):
        score = random.normal(size=2200)
        positive = score + random.logistic(size=2200) > 1
        chosen = ChosenThreshold.of_least_cost(positive[:200], score[:200], None, cost)
        paid = cost[positive[200:].astype(int), (score[200:] >= chosen.threshold).astype(int)].mean()
        figures.append((chosen.cost - paid, chosen.expected - paid))
    minimum, expected = np.mean(figures, axis=0)
    assert minimum < -0.05
    assert abs(expected) < 0.03


def test_a_threshold_without_two_rows_of_each_class_promises_nothing():
    chosen = ChosenThreshold.of_least_cost(np.array([True, False, False]), np.arange(3.0), None, 1 - np.eye(2))
    assert np.isnan(chosen.expected)
