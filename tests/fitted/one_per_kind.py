"""A small fitted model of every kind, and of some variants, made once."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import vaglio
from vaglio.fitted import Fitted
from vaglio.learners.registry import REGRESSORS

# Learners that count words.
COUNTS = ("multinomial-nb", "bernoulli-nb")
LEARNERS = {
    "tree": lambda: vaglio.ObliqueTreeClassifier(random_state=0),
    "rules": vaglio.RIPPERClassifier,
    "naive-bayes": vaglio.NaiveBayesClassifier,
    "gaussian-mixture": lambda: vaglio.GaussianMixtureClassifier(random_state=0),
    "joint-bayes": vaglio.JointBayesClassifier,
    "bayes-net": vaglio.BayesianNetworkClassifier,
    "multinomial-nb": vaglio.MultinomialNB,
    "bernoulli-nb": vaglio.BernoulliNB,
    "linear": vaglio.LogisticRegression,
    "mlp": lambda: vaglio.MLPClassifier(hidden_layer_sizes=(3,), max_iter=5, random_state=0),
    "svm": vaglio.SVC,
    "neighbors": lambda: vaglio.KNeighborsClassifier(weights="distance"),
    "forest": lambda: vaglio.RandomForestClassifier(2, random_state=0),
    "boosted": lambda: vaglio.HistGradientBoostingClassifier(max_iter=2, early_stopping=False, random_state=0),
    "additive": lambda: vaglio.ExplainableBoostingClassifier(max_rounds=5, outer_bags=2, random_state=0),
    "ensemble": lambda: vaglio.AdaBoostClassifier(n_estimators=2, random_state=0),
    "model-tree": vaglio.ModelTreeRegressor,
    "voting": lambda: vaglio.VotingClassifier([("a", vaglio.C45Classifier()), ("b", vaglio.LogisticRegression())]),
}
# Kinds of models that predict numbers alone.
ONLY_NUMBERS = ("model-tree",)

VARIANTS = {
    "gaussian": lambda: vaglio.NaiveBayesClassifier("gaussian"),
    "kde": lambda: vaglio.NaiveBayesClassifier("kde"),
    "linear svm": lambda: vaglio.SVC(kernel="linear"),
    "some columns": lambda: vaglio.BaggingClassifier(n_estimators=2, max_features=1, random_state=0),
}


# The models of numbers, each of which is of one of the kinds; settings that make them small.
_SMALL = {
    "n_estimators": 2,
    "max_iter": 4,
    "max_rounds": 5,
    "outer_bags": 2,
    "early_stopping": False,
    "random_state": 0,
}
NUMBERS = {f"{name} of numbers": lambda entry=entry: _small(entry.make()) for name, entry in REGRESSORS.items()}


def _small(estimator: Any) -> Any:
    known = estimator.get_params()
    return estimator.set_params(**{name: value for name, value in _SMALL.items() if name in known})


@cache
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows with numbers, words and missing values, and three classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": rng.normal(size=40), "word": rng.choice(list("xyz"), 40)})
    y = np.array(["a", "b", "c"])[(X["number"] > 0).astype(int) + (X["word"] == "z")]
    X.loc[::7, "number"], X.loc[::11, "word"] = np.nan, None
    return X, y


@cache
def numbers() -> np.ndarray:
    """Return a number for each of the rows."""
    rng = np.random.default_rng(1)
    found: np.ndarray = np.where(rows()[1] == "a", 3.0, 7.5) + rng.normal(size=40)
    return found


@cache
def model(kind: str) -> Fitted:
    """Return the model of a kind, of a variant, or of numbers."""
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = {**LEARNERS, **NUMBERS, **VARIANTS}[kind]()
        target = numbers() if kind in (*NUMBERS, *ONLY_NUMBERS) else y
        fitted: Fitted = estimator.fit(X[["word"]] if kind in COUNTS else X, target).fitted_
    assert kind in (fitted.model.kind, *NUMBERS, *VARIANTS)
    return fitted
