"""Calibration keeps the order of the classes and finds what a model is too sure of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from vaglio.errors import ModelFileError
from vaglio.model.calibration import Calibration


@given(
    temperature=st.floats(0.05, 20),
    floor=st.floats(0, 1, exclude_max=True),
    weights=st.lists(st.integers(0, 50), min_size=2, max_size=5).filter(any),
)
@settings(max_examples=50, deadline=None)
def test_probabilities_sum_to_one_in_the_same_order(temperature, floor, weights):
    given = np.array([weights], dtype=float) / sum(weights)
    calibration = Calibration(temperature, floor)
    found = calibration(given)
    assert found.sum() == pytest.approx(1)
    order = np.argsort(given[0], kind="stable")
    assert (np.diff(found[0][order]) >= -1e-12).all()
    assert calibration.of_one(given[0].tolist()) == found[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
def test_it_finds_the_calibration_that_was_undone(classes):
    random = np.random.default_rng(classes)
    told = random.dirichlet(np.ones(classes), 5000)
    true = Calibration(2.0, 0.1)(told)
    y = (true.cumsum(axis=1) < random.random((5000, 1))).sum(axis=1)
    found = Calibration.fit(told, y)(told)
    assert np.abs(found - true).mean() < 0.01
    assert log_loss(y, found) < log_loss(y, told)


def test_sure_and_right_stays_short_of_certain():
    y = np.arange(40) % 2
    found = Calibration.fit(np.eye(2)[y], y)(np.eye(2))
    assert 0.9 < found[0, 0] < 1


def test_only_proportions_of_weights_count():
    random = np.random.default_rng(0)
    told, y = random.dirichlet(np.ones(3), 200), random.integers(0, 3, 200)
    weight = random.random(200) + 0.1
    small, large = (Calibration.fit(told, y, weight * scale) for scale in (1.0, 1e9))
    assert (small.temperature, small.floor) == pytest.approx((large.temperature, large.floor), rel=1e-3)


@pytest.mark.parametrize(
    "state",
    [None, {}, {"temperature": 1.0}, {"temperature": "1", "floor": 0}, {"temperature": 0.0, "floor": 0.0}]
    + [{"temperature": 1.0, "floor": floor} for floor in (-0.1, 1.5, True, float("nan"))],
)
def test_a_damaged_file_is_refused(state):
    with pytest.raises(ModelFileError):
        Calibration.from_state(state)
