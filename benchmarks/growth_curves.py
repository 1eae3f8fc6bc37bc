"""Which learners the task `growth` measures, and the peers of each: those that are installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm
import sklearn.tree

import vaglio
from benchmarks.forests import other_forests
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
    return [*found, *(Curve("random forest", who, make) for who, make in other_forests(THREADS).items())]


def _seeded(name: str, **given: Any) -> tuple[Any, Any]:
    """Return the ensemble of this name, of vaglio and of scikit-learn."""
    ours, theirs = getattr(vaglio, name), getattr(sklearn.ensemble, name)
    return partial(ours, random_state=0, **given), partial(theirs, random_state=0, **given)
