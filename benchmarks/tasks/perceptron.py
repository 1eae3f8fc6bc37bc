"""Perceptron: five passes over a million rows, compared with scikit-learn's; the rows have the same order."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron

import vaglio
from benchmarks.runner import OURS, Row, measure


def run() -> list[Row]:
    rows = []
    for classes in (2, 3):
        X, y = make_classification(1_000_000, 30, n_informative=15, n_classes=classes, random_state=0)
        contenders = {
            OURS: vaglio.Perceptron(max_iter=5, tol=0, preprocess=None),
            f"scikit-learn {sklearn.__version__}": Perceptron(max_iter=5, tol=None, shuffle=False),
        }
        for who, estimator in contenders.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                seconds, model = measure(partial(estimator.fit, X, y))
            score = float(np.mean(model.predict(X) == y))
            rows.append(Row(f"perceptron 1000000 x 30, {classes} classes, 5 passes", who, 1, seconds, score))
    return rows
