"""Networks that learn in passes: the batches are those of the rows in order, and Ctrl-C is not swallowed."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier as ScikitLearnMLP

from vaglio import MLPClassifier
from vaglio.learners.linear.passes.network_passes import Training

ROWS, SIZE = 1730, 50


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(4)
    x = random.normal(size=(ROWS, 3))
    return x, (x[:, 0] + random.normal(size=ROWS) > 0).astype(np.int64)


def network():
    return ScikitLearnMLP((4,), shuffle=False, random_state=0)


@pytest.mark.parametrize("chunk", [7, 800, 801, ROWS])
def test_batches_are_those_of_the_rows_in_order(rows, chunk):
    x, y = rows
    expected, loss = network().set_params(batch_size=SIZE), 0.0
    for first in range(0, ROWS, SIZE):
        batch = slice(first, first + SIZE)
        expected.set_params(batch_size=len(y[batch])).partial_fit(x[batch], y[batch], classes=[0, 1])
        loss += expected.loss_ * len(y[batch])
    training = Training(network(), SIZE, np.arange(2), x[:0], y[:0])
    for first in range(0, ROWS, chunk):
        training = training.take(x[first : first + chunk], y[first : first + chunk], None)
    assert training.finish() == pytest.approx(loss, rel=1e-12)
    for ours, theirs in zip(training.network.coefs_, expected.coefs_):
        np.testing.assert_array_equal(ours, theirs)


def press_ctrl_c(self, *arguments):
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_a_pass(rows, monkeypatch):
    x, y = rows
    monkeypatch.setattr(ScikitLearnMLP, "_update_no_improvement_count", press_ctrl_c)
    training = Training(network(), SIZE, np.arange(2), x[:0], y[:0])
    with pytest.warns(UserWarning, match="interrupted"), pytest.raises(KeyboardInterrupt):
        training.take(x, y, None)


def test_ctrl_c_ends_a_training_in_memory(rows, monkeypatch):
    monkeypatch.setattr(ScikitLearnMLP, "_update_no_improvement_count", press_ctrl_c)
    with pytest.warns(UserWarning, match="interrupted"), pytest.raises(KeyboardInterrupt):
        MLPClassifier((4,)).fit(*rows)
