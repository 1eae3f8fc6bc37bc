import warnings

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier as ScikitLearn

from vaglio import MLPClassifier


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
