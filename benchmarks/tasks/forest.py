"""Random forests: fit, predict, file size, similarity, adult; beside five other libraries, on two threads.

LightGBM's trees end at 1024 leaves; the others grow until their leaves are pure. onnxruntime runs our exported model.
"""

from __future__ import annotations

import importlib.util
import pickle
import tempfile
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse as sp
from sklearn.ensemble import RandomForestClassifier as Peer
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.forests import OnnxForest, other_forests
from benchmarks.intelex import intelex
from benchmarks.runner import OURS, Row, measure

THREADS = 2
REPEATS = 3


def run() -> list[Row]:
    X, y = data.continuous(200_000)
    known, unseen = slice(0, 150_000), slice(150_000, None)
    models: dict[str, Any] = {
        OURS: vaglio.RandomForestClassifier(100, n_jobs=THREADS, random_state=0),
        "scikit-learn": Peer(100, n_jobs=THREADS, random_state=0),
    }
    other = intelex("ensemble", "RandomForestClassifier", THREADS)
    if other is not None:
        models[other.name] = other.make(100, n_jobs=THREADS, random_state=0)
    models |= {who: make() for who, make in other_forests(THREADS).items()}
    rows = []
    for who, model in models.items():
        repeats = 1 if who == "scikit-learn" else REPEATS
        seconds, _ = measure(partial(model.fit, X[known], y[known]), repeats)
        score = accuracy_score(y[unseen], model.predict(X[unseen]))
        rows.append(Row("fit 100 trees, 150000 x 30", who, THREADS, seconds, score))
        rows += _predictions("predict 50000 rows", who, model, X[unseen], score)
    return rows + _small_trees(X, y) + _size(models) + _similarity() + _adult()


def _predictions(task: str, who: str, model: Any, X: np.ndarray, score: float) -> list[Row]:
    """Predict the rows in double and in single precision."""
    rows = []
    for name, given in (("", X), (", float32", X.astype(np.float32))):
        seconds, _ = measure(partial(model.predict_proba, given), REPEATS)
        rows.append(Row(task + name, who, THREADS, seconds, score))
    return rows


def _small_trees(X: np.ndarray, y: np.ndarray) -> list[Row]:
    """Predict by trees of 64 leaves at most, trained on 50 000 rows."""
    options: dict[str, Any] = {"n_estimators": 100, "max_depth": 6, "n_jobs": THREADS, "random_state": 0}
    models: dict[str, Any] = {OURS: vaglio.RandomForestClassifier(**options), "scikit-learn": Peer(**options)}
    other = intelex("ensemble", "RandomForestClassifier", THREADS)
    if other is not None:
        models[other.name] = other.make(**options)
    known, unseen = slice(0, 50_000), slice(150_000, None)
    rows = []
    for who, model in models.items():
        model.fit(X[known], y[known])
        score = accuracy_score(y[unseen], model.predict(X[unseen]))
        rows += _predictions("predict 50000 rows, depth 6", who, model, X[unseen], score)
        if who == OURS:
            rows += _onnx("predict 50000 rows, depth 6", model, X[unseen], score)
    return rows


def _onnx(task: str, ours: Any, X: np.ndarray, score: float) -> list[Row]:
    """Let onnxruntime predict with our model; full trees of so many rows have more numbers than are written so."""
    if importlib.util.find_spec("onnxruntime") is None:
        return []
    forest = OnnxForest(ours.fitted_, THREADS)
    return _predictions(task, f"onnxruntime {version('onnxruntime')}, our model", forest, X, score)


def _size(models: dict[str, Any]) -> list[Row]:
    """Write a model file; the score is the number of bytes per node."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest"
        ours, peer = models[OURS], models["scikit-learn"]
        seconds, _ = measure(lambda: ours.save(path), 1)
        nodes = ours.fitted_.model.n_nodes
        rows = [Row("file, bytes per node", OURS, 1, seconds, path.stat().st_size / nodes)]
        seconds, content = measure(lambda: pickle.dumps(peer, protocol=5), 1)
        nodes = sum(tree.tree_.node_count for tree in peer.estimators_)
        return [*rows, Row("file, bytes per node", "scikit-learn", 1, seconds, len(content) / nodes)]


def _similarity() -> list[Row]:
    """Compute the share of common leaves for all pairs of 20 000 rows; the score is its mean over the stored pairs."""
    X, y = data.continuous(20_000)
    ours = vaglio.RandomForestClassifier(100, n_jobs=THREADS, random_state=0).fit(X, y)
    peer = Peer(100, n_jobs=THREADS, random_state=0).fit(X, y)

    def by_product() -> sp.csr_matrix:
        leaves = peer.apply(X)
        starts = np.cumsum([0] + [tree.tree_.node_count for tree in peer.estimators_])
        columns = (leaves + starts[:-1]).ravel()
        offsets = np.arange(0, columns.size + 1, leaves.shape[1])
        incidence = sp.csr_matrix((np.ones(columns.size), columns, offsets), shape=(len(X), starts[-1]))
        return incidence @ incidence.T / leaves.shape[1]

    rows = []
    for who, call, threads in (
        (OURS, lambda: ours.similarity(X), THREADS),
        ("apply + scipy.sparse", by_product, THREADS),
    ):
        seconds, found = measure(call)  # the first calls are slower: the system has to provide the memory
        rows.append(Row("similarity of 20000 rows", who, threads, seconds, float(found.data.mean())))
    return rows


def _adult() -> list[Row]:
    """Fit adult with nominal columns, compared with one-hot columns: from the table to the fitted model."""
    tables = data.adult()
    if tables is None:
        return []
    (X, y), (X_test, y_test) = (table.xy(TARGET) for table in tables)
    frame, frame_test = X.to_frame(), X_test.to_frame()
    nominal = [name for name in X.columns if X.column(name).kind == "nominal"]
    from sklearn.compose import make_column_transformer

    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), nominal), remainder="passthrough")
    models: list[tuple[str, Any, Any, Any]] = [
        (OURS, vaglio.RandomForestClassifier(100, n_jobs=THREADS, random_state=0), X, X_test),
        (
            "scikit-learn, one-hot",
            make_pipeline(encoder, Peer(100, n_jobs=THREADS, random_state=0)),
            frame,
            frame_test,
        ),
    ]
    rows = []
    for who, model, train, test in models:
        seconds, _ = measure(partial(model.fit, train, y), REPEATS)
        rows.append(Row("adult, 100 trees", who, THREADS, seconds, accuracy_score(y_test, model.predict(test))))
    return rows
