"""Random forests of other libraries with scikit-learn's methods: those of LightGBM and YDF, and ours in onnxruntime."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

TREES = 100


def other_forests(threads: int) -> dict[str, Callable[[], Any]]:
    """Return what makes the forest of each library that is installed, by the name of the library."""
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        # As near to a random forest as it comes: bootstrap rows, random columns, many leaves.
        found[f"LightGBM {version('lightgbm')}, rf"] = partial(
            lightgbm.LGBMClassifier,
            boosting_type="rf",
            n_estimators=TREES,
            subsample=0.632,
            subsample_freq=1,
            colsample_bynode=0.33,
            num_leaves=1024,
            min_child_samples=1,
            n_jobs=threads,
            random_state=0,
            verbose=-1,
        )
    if importlib.util.find_spec("ydf"):
        found[f"YDF {version('ydf')}"] = partial(YdfForest, threads)
    return found


class YdfForest:
    """YDF's random forest, grown to full depth."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> YdfForest:
        import ydf

        ydf.verbose(0)
        learner = ydf.RandomForestLearner(
            label="y",
            num_trees=TREES,
            num_threads=self.threads,
            max_depth=-1,
            compute_oob_performances=False,
            random_seed=0,
        )
        self.model = learner.train({**_columns(X), "y": y})
        self.classes = np.array([int(label) for label in self.model.label_classes()])
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.model.predict(_columns(X), num_threads=self.threads)
        return np.column_stack([1 - found, found]) if found.ndim == 1 else found

    def predict(self, X: np.ndarray) -> np.ndarray:
        predicted: np.ndarray = self.classes[self.predict_proba(X).argmax(axis=1)]
        return predicted


class OnnxForest:
    """A trained forest of ours, exported and run by onnxruntime."""

    def __init__(self, fitted: Any, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(fitted.to_onnx(), options, providers=["CPUExecutionProvider"])
        self.inputs = [(entry.name, entry.type) for entry in self.session.get_inputs()]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        given = {
            name: np.ascontiguousarray(X[:, j : j + 1], dtype=np.float32 if "(float)" in kind else np.float64)
            for j, (name, kind) in enumerate(self.inputs)
        }
        found: np.ndarray = self.session.run(["probabilities"], given)[0]
        return found


def _columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{j}": X[:, j].astype(np.float32) for j in range(X.shape[1])}
