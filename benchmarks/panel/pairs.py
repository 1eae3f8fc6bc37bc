"""Which default is compared with which peer, and what else each default could have been.

Pairs and candidates stand here before any figure is measured. The makers of a pair are without parameters, as a user
would call them, but for the number of members of an ensemble, which is the same on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.panel.boosters import Booster
from benchmarks.panel.peers import WekaClassifier, one_hot
from vaglio.learners.registry import find

Maker = Callable[[int], Any]


@dataclass(frozen=True)
class Pair:
    """A learner of ours and its peer; each maker takes a seed.

    Attributes
    ----------
    learner : str
        Id in the registry.
    setting : dict
        Parameters of ours that differ from the defaults of the registry.
    peer : str
        What the peer is called.
    theirs : callable
    candidates : dict of str to dict
        Other values that the default could have had, by name.
    """

    learner: str
    setting: dict[str, Any]
    peer: str
    theirs: Maker
    candidates: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The id, with the parameters that are no defaults."""
        return " ".join([self.learner, *(f"{key}={value}" for key, value in self.setting.items())])

    def ours(self, seed: int) -> Any:
        """Return the estimator of the pair."""
        return self.candidate({}, seed)

    def candidate(self, parameters: dict[str, Any], seed: int) -> Any:
        """Return the estimator with other parameters."""
        estimator = find(self.learner).make(**{**self.setting, **parameters})
        return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator


def _pruned_tree(seed: int) -> Any:
    """Return scikit-learn's tree with the price of a leaf chosen by ten folds, as ours chooses it."""
    prices = {"ccp_alpha": [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05]}
    return one_hot(GridSearchCV(DecisionTreeClassifier(random_state=seed), prices, cv=10))


def _neighbors_by_grid(seed: int) -> Any:
    """Return scikit-learn's neighbours with K chosen by ten folds, as ours chooses it."""
    numbers = {"n_neighbors": [1, 3, 5, 7, 9, 11, 13, 15, 19, 23, 27, 30]}
    return one_hot(GridSearchCV(KNeighborsClassifier(), numbers, cv=10, error_score=0.0))


def interpret(seed: int) -> Any:
    """Return interpret's additive model, which takes categories and missing values as they are."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


PAIRS = [
    Pair(
        "cart",
        {},
        "scikit-learn tree, pruned by grid",
        _pruned_tree,
        {
            "fully grown": {"ccp_alpha": 0.0},
            "fully grown, leaf of 5": {"ccp_alpha": 0.0, "min_samples_leaf": 5},
            "leaf of 5": {"min_samples_leaf": 5},
            "entropy": {"criterion": "entropy"},
        },
    ),
    Pair("cart", {"ccp_alpha": 0.0}, "scikit-learn tree", lambda s: one_hot(DecisionTreeClassifier(random_state=s))),
    Pair(
        "c45",
        {},
        "Weka J48",
        lambda s: WekaClassifier("J48"),
        {
            "confidence 0.1": {"confidence_factor": 0.1},
            "confidence 0.5": {"confidence_factor": 0.5},
            "leaf of 5": {"min_samples_leaf": 5},
            "no guard": {"high_cardinality": None},
            "leaves as shares": {"leaf_smoothing": None},
            "leaves by Laplace": {"leaf_smoothing": "laplace"},
        },
    ),
    Pair(
        "ripper",
        {},
        "Weka JRip",
        lambda s: WekaClassifier("JRip"),
        {"no pass": {"optimizations": 0}, "2 passes": {"optimizations": 2}, "10 passes": {"optimizations": 10}},
    ),
    Pair(
        "naive-bayes",
        {},
        "scikit-learn GaussianNB",
        lambda s: one_hot(GaussianNB()),
        {
            "gaussian": {"likelihood": "gaussian"},
            "kernel": {"likelihood": "kde"},
            "intervals": {"likelihood": "mdl"},
            "variance 1": {"var_smoothing": 1.0},
            "variance 0": {"var_smoothing": 0.0},
            "alpha 1": {"alpha": 1.0},
            "alpha 0.1": {"alpha": 0.1},
        },
    ),
    Pair("naive-bayes", {}, "Weka NaiveBayes", lambda s: WekaClassifier("NaiveBayes")),
    Pair(
        "knn",
        {},
        "scikit-learn kNN, K by grid",
        _neighbors_by_grid,
        {
            "1": {"n_neighbors": 1},
            "3": {"n_neighbors": 3},
            "5": {"n_neighbors": 5},
            "9": {"n_neighbors": 9},
            "15": {"n_neighbors": 15},
            "5, Manhattan": {"n_neighbors": 5, "p": 1},
            "5, 1/d": {"n_neighbors": 5, "weights": "distance"},
            "Manhattan": {"p": 1},
            "1/d": {"weights": "distance"},
        },
    ),
    Pair("knn", {"n_neighbors": 5}, "scikit-learn kNN", lambda s: one_hot(KNeighborsClassifier())),
    Pair(
        "logistic",
        {},
        "scikit-learn logistic",
        lambda s: one_hot(LogisticRegression(max_iter=500)),
        {"C 0.1": {"C": 0.1}, "C 0.3": {"C": 0.3}, "C 10": {"C": 10.0}},
    ),
    Pair(
        "svm",
        {},
        "scikit-learn SVC",
        lambda s: one_hot(SVC()),
        {"C 0.3": {"C": 0.3}, "C 3": {"C": 3.0}, "C 10": {"C": 10.0}, "linear": {"kernel": "linear"}},
    ),
    Pair(
        "random-forest",
        {},
        "scikit-learn forest",
        lambda s: one_hot(RandomForestClassifier(random_state=s)),
        {
            "leaf of 2": {"min_samples_leaf": 2},
            "leaf of 5": {"min_samples_leaf": 5},
            "a third": {"max_features": "third"},
            "log2": {"max_features": "log2"},
            "entropy": {"criterion": "entropy"},
        },
    ),
    Pair(
        "bagging",
        {"n_estimators": 50},
        "scikit-learn bagging",
        lambda s: one_hot(BaggingClassifier(n_estimators=50, random_state=s)),
        {"10 members": {"n_estimators": 10}, "votes": {"voting": "hard"}, "half the columns": {"max_features": 0.5}},
    ),
    Pair(
        "adaboost",
        {},
        "scikit-learn AdaBoost, depth 3",
        lambda s: one_hot(AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), random_state=s)),
        {
            "depth 1": {"max_depth": 1},
            "depth 2": {"max_depth": 2},
            "depth 5": {"max_depth": 5},
            "depth 8": {"max_depth": 8},
            "100 rounds": {"n_estimators": 100},
        },
    ),
    Pair(
        "gradient-boosting",
        {},
        "HistGradientBoosting",
        lambda s: Booster("HistGradientBoosting", s),
        {
            "rate 0.1": {"learning_rate": 0.1},
            "rate 0.02": {"learning_rate": 0.02, "max_iter": 2000, "n_iter_no_change": 50},
            "31 leaves": {"max_leaf_nodes": 31},
            "leaf of 1": {"min_samples_leaf": 1},
            "leaf of 20": {"min_samples_leaf": 20},
            "all columns": {"max_features": 1.0},
            "half of the columns": {"max_features": 0.5},
            "all rows": {"subsample": 1.0},
            "half of the rows": {"subsample": 0.5},
            "255 bins": {"max_bins": 255},
            "32 bins": {"max_bins": 32},
            "leaves refitted": {"refit_leaves": True},
            "level by level": {"growth": "level"},
            "one tree per round": {"multi_class": "shared_tree"},
            "temperature 1": {"temperature": 1.0},
            "all categories ordered": {"ordered_categories": True},
            "no category ordered": {"ordered_categories": False},
            "penalty 3": {"l2_regularization": 3.0},
            "penalty 5": {"l2_regularization": 5.0},
            "one model": {"n_models": 1, "average_folds": False},
            "one model and the folds": {"n_models": 1},
            "three models": {"average_folds": False},
        },
    ),
    Pair("gradient-boosting", {}, "LightGBM", lambda s: Booster("LightGBM", s)),
    Pair("gradient-boosting", {}, "XGBoost", lambda s: Booster("XGBoost", s)),
    Pair("gradient-boosting", {}, "CatBoost", lambda s: Booster("CatBoost", s)),
    Pair(
        "additive",
        {},
        "interpret",
        interpret,
        {
            "rate 0.02": {"learning_rate": 0.02},
            "rate 0.1": {"learning_rate": 0.1},
            "2 leaves": {"max_leaves": 2},
            "3 leaves": {"max_leaves": 3},
            "2000 rounds": {"max_rounds": 2000},
            "no pairs": {"interactions": 0},
            "3x pairs": {"interactions": "3x"},
            "16 bags": {"outer_bags": 16},
            "leaf of 2": {"min_samples_leaf": 2},
            "leaf of 10": {"min_samples_leaf": 10},
            "lambda 0": {"reg_lambda": 0.0},
        },
    ),
]
