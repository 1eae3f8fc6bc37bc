"""Bagging of 20 full trees and AdaBoost of 50 trees of depth 3, compared with scikit-learn on one thread."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sklearn
import sklearn.ensemble
import sklearn.tree
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.runner import OURS, Row, measure

ROWS, UNSEEN = 30_000, 20_000


def run() -> list[Row]:
    rows = []
    for kind, (X, y) in (
        ("continuous", data.continuous(ROWS + UNSEEN)),
        ("255-valued", data.few_valued(ROWS + UNSEEN)),
    ):
        for who, ensembles, trees in (
            (OURS, vaglio, vaglio),
            (f"scikit-learn {sklearn.__version__}", sklearn.ensemble, sklearn.tree),
        ):
            shallow = trees.DecisionTreeClassifier(max_depth=3)
            models = {
                "20 bagged trees": ensembles.BaggingClassifier(n_estimators=20, random_state=0),
                "AdaBoost, 50 of depth 3": ensembles.AdaBoostClassifier(shallow, n_estimators=50, random_state=0),
            }
            for name, model in models.items():
                rows += _measured(f"{name}, {kind}", who, model, X, y)
    return rows


def _measured(task: str, who: str, model: Any, X: Any, y: Any) -> list[Row]:
    known, unseen = slice(0, ROWS), slice(ROWS, None)
    seconds, _ = measure(partial(model.fit, X[known], y[known]), 5 if who == OURS else 1)
    score = accuracy_score(y[unseen], model.predict(X[unseen]))
    rows = [Row(f"{task}: fit {ROWS} x 30", who, 1, seconds, score)]
    for name, given in (("", X[unseen]), (", float32", X[unseen].astype(np.float32))):
        seconds, _ = measure(partial(model.predict, given), 3)
        rows.append(Row(f"{task}: predict {UNSEEN} rows{name}", who, 1, seconds, score))
    return rows
