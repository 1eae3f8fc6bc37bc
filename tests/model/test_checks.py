"""Models of the linear family read from files: what does not fit together is refused."""

import json

import numpy as np
import pytest

import vaglio
from vaglio import SVC, LogisticRegression, MLPClassifier, Perceptron
from vaglio.errors import ModelFileError
from vaglio.learners.linear.model.linear import LinearModel
from vaglio.learners.linear.model.mlp import NetworkModel
from vaglio.learners.svm.model.svm import SVMModel

ESTIMATORS = [
    (LinearModel, LogisticRegression()),
    (LinearModel, Perceptron(max_iter=5)),
    (NetworkModel, MLPClassifier((4,), solver="lbfgs", max_iter=20)),
    (SVMModel, SVC()),
    (SVMModel, SVC(kernel="linear", multi_class="ovr")),
    (SVMModel, SVC(calibration="sigmoid")),
]


@pytest.fixture(params=range(len(ESTIMATORS)))
def saved(request):
    cls, estimator = ESTIMATORS[request.param]
    X, y = vaglio.datasets.load("iris").xy("species")
    fitted = estimator.fit(X, y).fitted_
    arrays, meta = fitted.model.state()
    return cls, arrays, json.loads(json.dumps(meta)), fitted.codebook.features, fitted.codebook.encode(X), fitted.model


pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")


def test_state_survives(saved):
    cls, arrays, meta, features, rows, model = saved
    again = cls.from_state(arrays, meta, features, 3)
    decide = "predict_codes" if hasattr(model, "predict_codes") else "predict_proba"
    np.testing.assert_array_equal(getattr(again, decide)(rows), getattr(model, decide)(rows))
    assert again.size() == model.size()


def test_every_array_is_checked(saved):
    cls, arrays, meta, features, _, _ = saved
    for name, array in arrays.items():
        if not array.size:
            continue
        wrong_number = np.full_like(array, np.nan) if array.dtype.kind == "f" else np.full_like(array, -(2**40))
        others = [array.astype(np.float32), array[..., :-1], wrong_number, array[None]]
        if name == "encoder_fill":
            others.pop(2) if meta["encoder"]["as_is"] else None
        for other in others:
            with pytest.raises(ModelFileError):
                cls.from_state({**arrays, name: other}, meta, features, 3)
        if name not in ("coef", "calibration"):
            with pytest.raises(ModelFileError):
                cls.from_state({k: v for k, v in arrays.items() if k != name}, meta, features, 3)


def test_every_entry_is_checked(saved):
    cls, arrays, meta, features, _, _ = saved
    harmless = {"contains_training_rows"}
    for name in set(meta) - harmless:
        for nonsense in (None, "no such thing", [], {}):
            with pytest.raises(ModelFileError):
                cls.from_state(arrays, {**meta, name: nonsense}, features, 3)
    for classes in (0, 1, 2, 4):
        with pytest.raises(ModelFileError):
            cls.from_state(arrays, meta, features, classes)
