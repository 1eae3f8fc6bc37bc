"""Bagging of 10 full trees and AdaBoost of 50 stumps, compared with scikit-learn on one thread."""

from __future__ import annotations

from functools import partial
from typing import Any

import sklearn
import sklearn.ensemble
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.runner import OURS, Row, measure

ROWS, UNSEEN = 50_000, 20_000


def run() -> list[Row]:
    rows = []
    for kind, (X, y) in (
        ("continuous", data.continuous(ROWS + UNSEEN)),
        ("255-valued", data.few_valued(ROWS + UNSEEN)),
    ):
        for name, options in (("BaggingClassifier", {}), ("AdaBoostClassifier", {"n_estimators": 50})):
            for who, module in ((OURS, vaglio), (f"scikit-learn {sklearn.__version__}", sklearn.ensemble)):
                model = getattr(module, name)(random_state=0, **options)
                rows += _measured(f"{name}, {kind}", who, model, X, y)
    return rows


def _measured(task: str, who: str, model: Any, X: Any, y: Any) -> list[Row]:
    known, unseen = slice(0, ROWS), slice(ROWS, None)
    seconds, _ = measure(partial(model.fit, X[known], y[known]), 5 if who == OURS else 1)
    score = accuracy_score(y[unseen], model.predict(X[unseen]))
    predict, _ = measure(partial(model.predict, X[unseen]), 3)
    return [
        Row(f"{task}: fit {ROWS} x 30", who, 1, seconds, score),
        Row(f"{task}: predict {UNSEEN} rows", who, 1, predict, score),
    ]
