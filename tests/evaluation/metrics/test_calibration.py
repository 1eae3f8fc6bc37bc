from __future__ import annotations

import numpy as np
import pytest

from vaglio.errors import InputError
from vaglio.evaluation.metrics.curves import CalibrationCurve


def test_bins_by_hand():
    positive = np.array([0, 1, 1, 0, 1], dtype=bool)
    curve = CalibrationCurve.from_scores(positive, np.array([0.0, 0.25, 0.3, 0.75, 1.0]), n_bins=4)
    # The upper edge belongs to a bin: 0 and 0.25 to the first, 0.3 to the second, 0.75 to the third.
    assert curve.predicted.tolist() == [0.125, 0.3, 0.75, 1.0]
    assert curve.observed.tolist() == [0.5, 1.0, 0.0, 1.0]
    assert curve.weight.tolist() == [2, 1, 1, 1]
    assert curve.expected_error == pytest.approx((2 * 0.375 + 0.7 + 0.75 + 0) / 5)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_a_weight_is_a_repetition(strategy):
    rng = np.random.default_rng(0)
    probability, times = rng.permutation(20) / 19, rng.integers(1, 4, 20)
    positive = rng.random(20) < probability
    bins = {"n_bins": 5, "strategy": strategy}
    weighted = CalibrationCurve.from_scores(positive, probability, times.astype(float), **bins)
    if strategy == "uniform":
        repeated = CalibrationCurve.from_scores(np.repeat(positive, times), np.repeat(probability, times), **bins)
        for name in ("predicted", "observed", "weight"):
            np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name))
    else:  # the edges are those of the rows: as many in each bin
        rows = CalibrationCurve.from_scores(positive, probability, **bins)
        assert rows.weight.tolist() == [4, 4, 4, 4, 4]
        assert weighted.weight.sum() == times.sum()


def test_what_is_no_probability_is_refused():
    for wrong in (-0.1, 1.1):
        with pytest.raises(InputError, match="outside 0 to 1"):
            CalibrationCurve.from_scores(np.array([True]), np.array([wrong]))
    with pytest.raises(InputError, match="strategy is 'even'"):
        CalibrationCurve.from_scores(np.array([True]), np.array([0.5]), strategy="even")
    assert len(CalibrationCurve.from_scores(np.zeros(0, bool), np.zeros(0)).weight) == 0
