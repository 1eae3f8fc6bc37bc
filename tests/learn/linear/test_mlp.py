import warnings

import numpy as np
import pytest
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
