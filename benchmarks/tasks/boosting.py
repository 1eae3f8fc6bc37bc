"""Gradient boosting: 100 rounds of 31 leaves; compared with LightGBM, XGBoost and scikit-learn on two threads."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier as Peer
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.runner import OURS, Row, measure

THREADS = 2
REPEATS = 3
# The same trees for all: as many rounds, leaves and bins, and no row held out.
ROUNDS, LEAVES, RATE, FEWEST, BINS = 100, 31, 0.1, 20, 255


def run() -> list[Row]:
    rows = []
    for n, classes in ((150_000, 3), (1_000_000, 2)):
        X, y = data.continuous(n + 50_000, classes=classes)
        known, unseen = slice(0, n), slice(n, None)
        for who, model in _models().items():
            seconds, _ = measure(partial(model.fit, X[known], y[known]), 1 if who == "scikit-learn" else REPEATS)
            score = accuracy_score(y[unseen], model.predict(X[unseen]))
            rows.append(Row(f"fit {ROUNDS} rounds, {n} x 30, {classes} classes", who, THREADS, seconds, score))
            seconds, _ = measure(partial(model.predict_proba, X[unseen]), REPEATS)
            rows.append(Row(f"predict 50000 rows, {classes} classes", who, THREADS, seconds, score))
    return rows


def _models() -> dict[str, Any]:
    models: dict[str, Any] = {
        OURS: vaglio.HistGradientBoostingClassifier(
            RATE,
            max_iter=ROUNDS,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=FEWEST,
            max_bins=BINS,
            l2_regularization=0.0,
            early_stopping=False,
            subsample=1.0,
            max_features=1.0,
            n_jobs=THREADS,
        ),
        "scikit-learn": Peer(
            learning_rate=RATE,
            max_iter=ROUNDS,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=FEWEST,
            max_bins=BINS,
            early_stopping=False,
        ),
    }
    with suppress(ImportError):
        models["LightGBM"] = _lightgbm()
    with suppress(ImportError):
        models["XGBoost"] = _xgboost()
    return models


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=ROUNDS,
        num_leaves=LEAVES,
        learning_rate=RATE,
        min_child_samples=FEWEST,
        max_bin=BINS,
        n_jobs=THREADS,
        verbose=-1,
    )


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    # It limits the Hessian of a leaf, not its rows; no limit on the depth, as for the others.
    return XGBClassifier(
        n_estimators=ROUNDS,
        max_leaves=LEAVES,
        max_depth=0,
        grow_policy="lossguide",
        learning_rate=RATE,
        max_bin=BINS,
        reg_lambda=0.0,
        n_jobs=THREADS,
    )
