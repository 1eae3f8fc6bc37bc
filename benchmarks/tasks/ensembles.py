"""Bagging and AdaBoost of trees, compared with scikit-learn on one thread.

First with the defaults: ten bagged trees, 50 stumps. On adult scikit-learn, and vaglio's classes of the same names, get
the categories as numbers, with one more for what is missing. Then 20 bagged trees and 50 trees of depth 3, also asked.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sklearn
import sklearn.ensemble
import sklearn.tree
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import OrdinalEncoder

import vaglio
import vaglio.sklearn.ensemble
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure

ROWS, UNSEEN = 30_000, 20_000
DROP_IN = "vaglio.sklearn"
THEIRS = f"scikit-learn {sklearn.__version__}"
LIBRARIES = {OURS: vaglio, DROP_IN: vaglio.sklearn.ensemble, THEIRS: sklearn.ensemble}


def run() -> list[Row]:
    return with_defaults() + larger()


def with_defaults() -> list[Row]:
    """Return the times of fits with default parameters."""
    rows = []
    for n, columns in ((20_000, 20), (100_000, 30)):
        X, y = data.continuous(n + UNSEEN, columns)
        given = (X[:n], y[:n]), (X[n:], y[n:])
        rows += _defaults(f"{n} x {columns}", dict.fromkeys(LIBRARIES, given))
    tables = data.adult()
    if tables is not None:
        pairs = [table.xy(TARGET) for table in tables]
        numbers = _as_numbers(pairs)
        rows += _defaults("adult", {OURS: pairs, DROP_IN: numbers, THEIRS: numbers})
    return rows


def _defaults(table: str, given: dict[str, Any]) -> list[Row]:
    rows = []
    for name in ("BaggingClassifier", "AdaBoostClassifier"):
        for who, ensembles in LIBRARIES.items():
            (X, y), (unseen, classes) = given[who]
            model = getattr(ensembles, name)(random_state=0)
            seconds, _ = measure(partial(model.fit, X, y), 1 if who == THEIRS else 5)
            rows.append(Row(f"{name}: fit {table}", who, 1, seconds, accuracy_score(classes, model.predict(unseen))))
    return rows


def _as_numbers(pairs: Any) -> Any:
    """Return tables as arrays of numbers, categories by their place in the training rows."""
    frames = [X.to_frame() for X, _ in pairs]
    words = frames[0].select_dtypes(exclude="number").columns
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    encoder.fit(frames[0][words])
    for frame in frames:
        frame[words] = encoder.transform(frame[words])
    return [(frame.to_numpy(float), y) for frame, (_, y) in zip(frames, pairs)]


def larger() -> list[Row]:
    """Return the times of fits and predictions of more and deeper trees."""
    rows = []
    for kind, (X, y) in (
        ("continuous", data.continuous(ROWS + UNSEEN)),
        ("255-valued", data.few_valued(ROWS + UNSEEN)),
    ):
        for who, ensembles, trees in ((OURS, vaglio, vaglio), (THEIRS, sklearn.ensemble, sklearn.tree)):
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
