"""One row of adult, from a dict to class probabilities, on one thread; the score is the 99th percentile in µs.

scikit-learn gets the row as a data frame for its one-hot pipeline, LightGBM as an array of codes, onnxruntime as one
tensor per column of our own exported model. Each row is asked for once; the time is the median per row.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier as Peer
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row

LEARNERS: dict[str, Callable[[], Any]] = {
    "random forest, 100 trees": lambda: vaglio.RandomForestClassifier(100, random_state=0),
    "logistic": vaglio.LogisticRegression,
    "naive Bayes": vaglio.NaiveBayesClassifier,
    "C4.5": vaglio.C45Classifier,
}
ROWS = 2000


def run() -> list[Row]:
    tables = data.adult()
    if tables is None:
        return []
    (X, y), (X_test, _) = (table.xy(TARGET) for table in tables)
    frame, test = X.to_frame(), X_test.to_frame()[:ROWS]
    records = [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in test.to_dict("records")
    ]
    rows = []
    for name, make in LEARNERS.items():
        fitted = make().fit(X, y).fitted_
        rows.append(_timed(name, OURS, fitted.predict_proba_one, records))
        rows += _onnxruntime(name, fitted, records)
    rows += _pipelines(frame, y, test)
    return rows + _lightgbm(frame, y, test)


def _timed(task: str, who: str, predict: Callable[[Any], Any], rows: Sequence[Any]) -> Row:
    seconds = []
    for row in rows:
        start = time.perf_counter()
        predict(row)
        seconds.append(time.perf_counter() - start)
    return Row(task, who, 1, statistics.median(seconds), 1e6 * float(np.quantile(seconds, 0.99)))


def _pipelines(frame: Any, y: Any, test: Any) -> list[Row]:
    nominal = [name for name in frame if frame[name].dtype.kind not in "if"]
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), nominal), remainder="passthrough")
    peers = {"random forest, 100 trees": Peer(100, random_state=0), "logistic": PeerLogistic(max_iter=2000)}
    singles = [test[i : i + 1] for i in range(100)]
    return [
        _timed(task, "scikit-learn, one-hot", make_pipeline(encoder, peer).fit(frame, y).predict_proba, singles)
        for task, peer in peers.items()
    ]


def _lightgbm(frame: Any, y: Any, test: Any) -> list[Row]:
    try:
        import lightgbm
    except ImportError:
        return []
    codes = {
        name: frame[name].astype("category").cat.categories for name in frame if frame[name].dtype.kind not in "if"
    }

    def encoded(rows: Any) -> np.ndarray:
        columns = [
            pd.Categorical(rows[name], codes[name]).codes if name in codes else rows[name].to_numpy() for name in frame
        ]
        return np.column_stack(columns).astype(np.float64)

    labels = (np.asarray(y) == np.asarray(y)[0]).astype(int)
    options = {"objective": "binary", "num_threads": 1, "verbose": -1}
    model = lightgbm.train(options, lightgbm.Dataset(encoded(frame), labels), num_boost_round=100)
    block = encoded(test)
    singles = [block[i : i + 1] for i in range(len(block))]
    who = f"lightgbm {lightgbm.__version__}, 100 boosted trees of 31 leaves, codes ready"
    return [_timed("random forest, 100 trees", who, model.predict, singles)]


def _onnxruntime(name: str, fitted: Any, records: list[dict[str, Any]]) -> list[Row]:
    try:
        import onnxruntime
    except ImportError:
        return []
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(fitted.to_onnx(), options, providers=["CPUExecutionProvider"])

    def tensor(value: Any, words: bool) -> np.ndarray:
        if words:
            return np.array([["" if value is None else str(value)]], dtype=object)
        return np.array([[np.nan if value is None else float(value)]])

    features = fitted.codebook.features
    given = [{f.name: tensor(row[f.name], bool(f.categories)) for f in features} for row in records]
    who = f"onnxruntime {onnxruntime.__version__}, tensors ready"
    return [_timed(name, who, lambda tensors: session.run(["probabilities"], tensors), given)]
