"""A small fitted model of every kind, and of some variants, made once."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd

import vaglio
from vaglio.fitted import Fitted

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
    "voting": lambda: vaglio.VotingClassifier([("a", vaglio.C45Classifier()), ("b", vaglio.LogisticRegression())]),
}


# Models of numbers, by the id of the learner; their kinds are among those above.
NUMBERS = {
    "cart of numbers": lambda: vaglio.DecisionTreeRegressor(max_depth=3),
    "linear of numbers": vaglio.LinearRegression,
    "svm of numbers": vaglio.SVR,
    "mlp of numbers": lambda: vaglio.MLPRegressor((3,), max_iter=5, random_state=0),
    "knn of numbers": lambda: vaglio.KNeighborsRegressor(weights="distance"),
    "bagging of numbers": lambda: vaglio.BaggingRegressor(n_estimators=2, random_state=0),
    "random-forest of numbers": lambda: vaglio.RandomForestRegressor(2, random_state=0),
    "adaboost of numbers": lambda: vaglio.AdaBoostRegressor(n_estimators=2, random_state=0),
    "gradient-boosting of numbers": lambda: vaglio.HistGradientBoostingRegressor(
        max_iter=2, early_stopping=False, random_state=0
    ),
    "additive of numbers": lambda: vaglio.ExplainableBoostingRegressor(max_rounds=5, outer_bags=2, random_state=0),
    "voting of numbers": lambda: vaglio.VotingRegressor(
        [("tree", vaglio.DecisionTreeRegressor(max_depth=2)), ("line", vaglio.LinearRegression())]
    ),
}
VARIANTS = {
    "gaussian": lambda: vaglio.NaiveBayesClassifier("gaussian"),
    "kde": lambda: vaglio.NaiveBayesClassifier("kde"),
    "linear svm": lambda: vaglio.SVC(kernel="linear"),
    "some columns": lambda: vaglio.BaggingClassifier(n_estimators=2, max_features=1, random_state=0),
}


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
    """Return the model of a kind, or of a variant."""
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = {**LEARNERS, **NUMBERS, **VARIANTS}[kind]()
        target = numbers() if kind in NUMBERS else y
        fitted: Fitted = estimator.fit(X[["word"]] if kind in COUNTS else X, target).fitted_
    assert kind in (fitted.model.kind, *NUMBERS, *VARIANTS)
    return fitted
