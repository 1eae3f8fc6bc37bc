"""The multi-layer perceptron beside scikit-learn's, in memory and in passes over rows in order."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.datasets import load_diabetes, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as ScikitLearn
from sklearn.neural_network import MLPClassifier as ScikitLearnMLP
from sklearn.neural_network import MLPRegressor as TheirRegressor

import vaglio
from vaglio import MLPClassifier
from vaglio.learners.linear.passes import Training


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
def test_our_forward_pass_is_scikit_learns(classes, activation):
    X, y = make_classification(80, 6, n_informative=4, n_classes=classes, random_state=0)
    settings = {"hidden_layer_sizes": (7, 5), "activation": activation, "max_iter": 20, "random_state": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, peer = MLPClassifier(**settings, preprocess=None).fit(X, y), ScikitLearn(**settings).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)
    assert ours.n_iter_ == peer.n_iter_
    assert ours.fitted_.model.size()["layers"] == 3


def test_chunks_and_warm_starts_are_scikit_learns():
    X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
    settings = {"hidden_layer_sizes": (5,), "random_state": 1, "max_iter": 3, "warm_start": True}
    ours, peer = MLPClassifier(**settings, preprocess=None), ScikitLearn(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in (ours, peer):
            model.fit(X, y).fit(X, y).partial_fit(X[:30], y[:30])
        np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)
        ours.coefs_ = [np.zeros_like(layer) for layer in ours.coefs_]
        ours.partial_fit(X[:30], y[:30])
    assert max(np.abs(layer).max() for layer in ours.coefs_) < 0.01
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")


def test_sparse_rows_and_the_account_of_the_training():
    X, y = make_classification(90, 6, n_informative=4, random_state=0)
    settings = {"hidden_layer_sizes": (5,), "random_state": 1, "max_iter": 5, "early_stopping": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, peer = MLPClassifier(**settings).fit(sp.csr_array(X), y), ScikitLearn(**settings).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(ours.predict_proba(sp.csr_array(X)), peer.predict_proba(X), atol=1e-12)
    for name in ("n_iter_", "loss_curve_", "best_loss_", "validation_scores_", "best_validation_score_", "t_"):
        assert getattr(ours, name) == getattr(peer, name), name


ROWS, SIZE = 1730, 50


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(4)
    x = random.normal(size=(ROWS, 3))
    return x, (x[:, 0] + random.normal(size=ROWS) > 0).astype(np.int64)


def network():
    return ScikitLearnMLP((4,), shuffle=False, random_state=0)


@pytest.mark.slow
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


def test_a_network_for_numbers_is_scikit_learns_on_the_standardised_target():
    X, y = load_diabetes(return_X_y=True)
    given = {"hidden_layer_sizes": (8,), "max_iter": 60, "random_state": 0, "early_stopping": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = vaglio.MLPRegressor(**given, preprocess=None).fit(X, y)
        theirs = TheirRegressor(**given).fit(X, (y - y.mean()) / y.std())
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X) * y.std() + y.mean(), rtol=1e-9)
    assert ours.loss_ == pytest.approx(theirs.loss_)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
def test_the_unit_of_the_target_does_not_change_a_network(factor: float):
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    expected = vaglio.MLPRegressor((5,), solver="lbfgs").fit(X, y).predict(X)
    found = vaglio.MLPRegressor((5,), solver="lbfgs").fit(X, y * factor).predict(X)
    np.testing.assert_array_equal(found, expected * factor)


def test_a_network_for_numbers_goes_on_from_its_weights():
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = vaglio.MLPRegressor((8,), max_iter=20, warm_start=True).fit(X, y)
        before = model.score(X, y)
        for _ in range(4):
            model.fit(X, y)
    assert model.score(X, y) > before
