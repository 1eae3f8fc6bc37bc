"""Which default is compared with which peer. The pairs stand here before any figure is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import vaglio
from vaglio.learn.registry import find

Maker = Callable[[int], Any]


@dataclass(frozen=True)
class Pair:
    """A learner of ours and its peer; each maker takes a seed."""

    learner: str
    ours: Maker
    peer: str
    theirs: Maker


def _words(frame: pd.DataFrame) -> pd.DataFrame:
    """Nominal columns as strings, with one word for missing: what the one-hot encoder takes."""
    return frame.astype(object).where(frame.notna(), "missing").astype(str)


def one_hot(estimator: Any) -> Any:
    """Return the usual pipeline: means imputed, numbers standardised, categories one-hot."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = make_pipeline(FunctionTransformer(_words), encoder)
    is_number = make_column_selector(dtype_include="number")
    is_category = make_column_selector(dtype_exclude="number")
    return make_pipeline(ColumnTransformer([("n", numbers, is_number), ("c", categories, is_category)]), estimator)


def _ours(learner: str, **parameters: Any) -> Maker:
    def make(seed: int) -> Any:
        estimator = find(learner).make(**parameters)
        return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator

    return make


PAIRS = [
    Pair("cart", _ours("cart", ccp_alpha="cv"), "tree", lambda s: one_hot(DecisionTreeClassifier(random_state=s))),
    Pair("c45", _ours("c45"), "tree", lambda s: one_hot(DecisionTreeClassifier(random_state=s))),
    Pair("naive-bayes", _ours("naive-bayes"), "GaussianNB", lambda s: one_hot(GaussianNB())),
    Pair("knn", _ours("knn"), "kNN", lambda s: one_hot(KNeighborsClassifier())),
    Pair("logistic", _ours("logistic"), "logistic", lambda s: one_hot(LogisticRegression(max_iter=500))),
    Pair("svm", _ours("svm"), "SVC", lambda s: one_hot(SVC())),
    Pair(
        "random-forest",
        _ours("random-forest", n_estimators=100),
        "forest",
        lambda s: one_hot(RandomForestClassifier(100, random_state=s)),
    ),
    Pair(
        "bagging",
        _ours("bagging", n_estimators=50),
        "bagging",
        lambda s: one_hot(BaggingClassifier(n_estimators=50, random_state=s)),
    ),
    Pair(
        "adaboost",
        _ours("adaboost", n_estimators=100, estimator=vaglio.DecisionTreeClassifier(max_depth=3)),
        "AdaBoost",
        lambda s: one_hot(AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=100, random_state=s)),
    ),
]


# Other peers, for the tables with columns of very many values.
ALSO: dict[str, Maker] = {
    "HistGradientBoosting": lambda seed: one_hot(HistGradientBoostingClassifier(random_state=seed)),
}
