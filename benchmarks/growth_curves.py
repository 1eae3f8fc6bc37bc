"""Which learners the task `growth` measures, and the peers of each: those that are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm
import sklearn.tree

import vaglio
from benchmarks.intelex import intelex
from benchmarks.runner import OURS

THREADS = 2
SKLEARN = f"scikit-learn {sklearn.__version__}"


@dataclass(frozen=True)
class Curve:
    """A learner of one library.

    Parameters
    ----------
    learner, who : str
    make : callable
        Returns an unfitted estimator.
    predicts : bool
        Whether predictions are part of the time.
    """

    learner: str
    who: str
    make: Callable[[], Any]
    predicts: bool = False


def curves() -> list[Curve]:
    """Return ours and, after each, its peers."""
    jobs = {"n_jobs": THREADS}
    pairs: list[tuple[str, Any, Any, tuple[str, str] | None]] = [
        ("decision tree", partial(vaglio.DecisionTreeClassifier, **jobs), sklearn.tree.DecisionTreeClassifier, None),
        ("C4.5", partial(vaglio.C45Classifier, **jobs), None, None),
        ("RIPPER", partial(vaglio.RIPPERClassifier, random_state=0, **jobs), None, None),
        ("naive Bayes", partial(vaglio.NaiveBayesClassifier, **jobs), sklearn.naive_bayes.GaussianNB, None),
        (
            "logistic regression",
            vaglio.LogisticRegression,
            sklearn.linear_model.LogisticRegression,
            ("linear_model", "LogisticRegression"),
        ),
        ("perceptron", vaglio.Perceptron, sklearn.linear_model.Perceptron, None),
        ("SVC", vaglio.SVC, sklearn.svm.SVC, ("svm", "SVC")),
        (
            "nearest neighbours",
            partial(vaglio.KNeighborsClassifier, **jobs),
            partial(sklearn.neighbors.KNeighborsClassifier, **jobs),
            ("neighbors", "KNeighborsClassifier"),
        ),
        ("bagging", *_seeded("BaggingClassifier", **jobs), None),
        ("AdaBoost", *_seeded("AdaBoostClassifier"), None),
        ("random forest", *_seeded("RandomForestClassifier", **jobs), ("ensemble", "RandomForestClassifier")),
    ]
    found = []
    for learner, ours, theirs, accelerated in pairs:
        predicts = learner == "nearest neighbours"
        found.append(Curve(learner, OURS, ours, predicts))
        if theirs is not None:
            found.append(Curve(learner, SKLEARN, theirs, predicts))
        other = intelex(*accelerated, THREADS) if accelerated is not None else None
        if other is not None:
            found.append(Curve(learner, other.name, other.make, predicts))
    return [*found, *_other_forests()]


def _seeded(name: str, **given: Any) -> tuple[Any, Any]:
    """Return the ensemble of this name, of vaglio and of scikit-learn."""
    ours, theirs = getattr(vaglio, name), getattr(sklearn.ensemble, name)
    return partial(ours, random_state=0, **given), partial(theirs, random_state=0, **given)


def _other_forests() -> list[Curve]:
    found = []
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        # As near to a random forest as it comes: bootstrap rows, random columns, many leaves.
        make = partial(
            lightgbm.LGBMClassifier,
            boosting_type="rf",
            n_estimators=100,
            subsample=0.632,
            subsample_freq=1,
            colsample_bynode=0.33,
            num_leaves=1024,
            min_child_samples=1,
            n_jobs=THREADS,
            random_state=0,
            verbose=-1,
        )
        found.append(Curve("random forest", f"LightGBM {version('lightgbm')}, rf", make))
    if importlib.util.find_spec("ydf"):
        found.append(Curve("random forest", f"YDF {version('ydf')}", _YdfForest))
    return found


class _YdfForest:
    """YDF's random forest of 100 trees with scikit-learn's methods."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> _YdfForest:
        import ydf

        ydf.verbose(0)
        learner = ydf.RandomForestLearner(
            label="y", num_trees=100, num_threads=THREADS, max_depth=-1, compute_oob_performances=False, random_seed=0
        )
        self.model = learner.train({**_columns(X), "y": y})
        self.classes = np.array([int(label) for label in self.model.label_classes()])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        predicted: np.ndarray = self.classes[self.model.predict(_columns(X)).argmax(axis=1)]
        return predicted


def _columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{j}": X[:, j].astype(np.float32) for j in range(X.shape[1])}
