"""Every learner of numbers beside scikit-learn on one thread: fit, and predict 10 000 rows; the score is R².

Rows named "vaglio" are the table-first learners, with the parameters that mean the same work; "vaglio.sklearn" the
classes of scikit-learn's names with its defaults, where they are vaglio's and not scikit-learn's own. A regression tree
is also pruned by ten folds, which scikit-learn does by a search over its own path. NUMBERS_ROWS gives the numbers of
rows (1000,100000,1000000), NUMBERS_ONLY names of contests, separated by semicolons. What scikit-learn needs more than a
minute for is left out: support vectors beyond 10 000 rows, nearest neighbours of a million in ten columns, and the
search over pruned trees beyond 1 000.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.metrics import r2_score
from threadpoolctl import threadpool_limits

import vaglio
from benchmarks.runner import OURS, Row, measure

SIZES = tuple(int(rows) for rows in os.environ.get("NUMBERS_ROWS", "1000,100000,1000000").split(","))
ONLY = tuple(name for name in os.environ.get("NUMBERS_ONLY", "").split(";") if name)
UNSEEN, COLUMNS, THREADS = 10_000, 10, 1
DROP_IN, THEIRS = "vaglio.sklearn", f"scikit-learn {sklearn.__version__}"

Maker = Callable[[], Any]


@dataclass(frozen=True)
class Contest:
    """One kind of model in all libraries.

    Attributes
    ----------
    ours : callable or None
        Makes the table-first learner that does the same work.
    module, name : str
        Where scikit-learn has its class, and vaglio.sklearn too; without a name only ``theirs`` is compared.
    params : dict
        Of both.
    theirs : callable or None
        Makes scikit-learn's, if it is not the class of that name.
    most_rows : int
    """

    ours: Maker | None
    module: str = ""
    name: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    theirs: Maker | None = None
    most_rows: int = 1_000_000
    others: dict[str, Maker] = field(default_factory=dict)


def table(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numeric columns and a number with sums, products, a kink and noise; the values are exact in float32."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, COLUMNS), dtype=np.float32).astype(np.float64)
    y = 2 * X[:, 0] + X[:, 1] * X[:, 2] + 3 * np.abs(X[:, 3]) + random.standard_normal(rows)
    return X, y


def contests() -> dict[str, Contest]:
    """Return what is compared, by name."""
    linear, ensemble, v = "linear_model", "ensemble", vaglio
    return {
        "least squares": Contest(lambda: v.LinearRegression(alpha=0.0), linear, "LinearRegression"),
        "ridge": Contest(lambda: v.LinearRegression(alpha=1e-3), linear, "Ridge"),
        "lasso": Contest(lambda: v.LinearRegression(alpha=0.01, l1_ratio=1.0), linear, "Lasso", {"alpha": 0.01}),
        "elastic net": Contest(
            lambda: v.LinearRegression(alpha=0.01, l1_ratio=0.5), linear, "ElasticNet", {"alpha": 0.01}
        ),
        "ridge, penalty by folds": Contest(
            lambda: v.LinearRegression(), linear, "RidgeCV", {"alphas": np.geomspace(1e-3, 1e6, 46), "cv": 10}
        ),
        "lasso, penalty by folds": Contest(lambda: v.LinearRegression(l1_ratio=1.0), linear, "LassoCV", {"cv": 10}),
        "elastic net, penalty by folds": Contest(
            lambda: v.LinearRegression(l1_ratio=0.5), linear, "ElasticNetCV", {"cv": 10}
        ),
        "tree": Contest(lambda: v.DecisionTreeRegressor(), "tree", "DecisionTreeRegressor", {"random_state": 0}),
        "tree, pruned by folds": Contest(
            lambda: v.DecisionTreeRegressor(ccp_alpha="cv", random_state=0), theirs=searched_tree, most_rows=1_000
        ),
        "forest": Contest(
            lambda: v.RandomForestRegressor(20, max_features=None, random_state=0),
            ensemble,
            "RandomForestRegressor",
            {"n_estimators": 20, "random_state": 0},
        ),
        "extra trees": Contest(None, ensemble, "ExtraTreesRegressor", {"n_estimators": 20, "random_state": 0}),
        "bagging": Contest(
            lambda: v.BaggingRegressor(random_state=0), ensemble, "BaggingRegressor", {"random_state": 0}
        ),
        "AdaBoost.R2": Contest(
            lambda: v.AdaBoostRegressor(random_state=0), ensemble, "AdaBoostRegressor", {"random_state": 0}
        ),
        "boosting": Contest(
            lambda: v.HistGradientBoostingRegressor(random_state=0, **_PLAIN_BOOSTING),
            ensemble,
            "HistGradientBoostingRegressor",
            {"random_state": 0},
        ),
        "boosting, defaults": Contest(
            lambda: v.HistGradientBoostingRegressor(random_state=0), theirs=None, others=boosters()
        ),
        "neighbours": Contest(
            lambda: v.KNeighborsRegressor(5, preprocess=None), "neighbors", "KNeighborsRegressor", most_rows=100_000
        ),
        "network": Contest(
            lambda: v.MLPRegressor(max_iter=5, random_state=0),
            "neural_network",
            "MLPRegressor",
            {"max_iter": 5, "random_state": 0},
        ),
        "support vectors": Contest(lambda: v.SVR(), "svm", "SVR", most_rows=10_000),
        "voting": Contest(
            lambda: v.VotingRegressor(
                [("line", v.LinearRegression(alpha=1e-3)), ("tree", v.DecisionTreeRegressor(max_depth=8))]
            ),
            theirs=voting,
        ),
    }


# Scikit-learn's work: 100 rounds on all rows, up to 31 leaves.
_PLAIN_BOOSTING: dict[str, Any] = {"max_iter": 100, "early_stopping": False}


_BOOSTERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("lightgbm", "LGBMRegressor", {"verbose": -1}),
    ("xgboost", "XGBRegressor", {}),
)


def boosters() -> dict[str, Maker]:
    """Return LightGBM and XGBoost with their defaults, where they are installed, and scikit-learn's."""
    found: dict[str, Maker] = {THEIRS: lambda: _class("ensemble", "HistGradientBoostingRegressor")(random_state=0)}
    for package, name, params in _BOOSTERS:
        try:
            module = importlib.import_module(package)
        except ImportError:
            continue
        found[f"{package} {module.__version__}"] = partial(getattr(module, name), n_jobs=THREADS, **params)
    return found


def searched_tree() -> Any:
    """Return scikit-learn's way to the same: its path of prices, and a search over a hundred of them by ten folds."""

    class Searched:
        def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
            made = _class("tree", "DecisionTreeRegressor")(random_state=0)
            prices = made.cost_complexity_pruning_path(X, y).ccp_alphas
            picked = prices[np.unique(np.geomspace(1, len(prices), 100).astype(int)) - 1].clip(0)
            search = _class("model_selection", "GridSearchCV")
            self.found = search(made, {"ccp_alpha": picked}, cv=10, scoring="neg_mean_squared_error").fit(X, y)
            return self

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.asarray(self.found.predict(X))

    return Searched()


def voting() -> Any:
    """Return scikit-learn's mean of a line and a tree."""
    members = [
        ("line", _class("linear_model", "Ridge")()),
        ("tree", _class("tree", "DecisionTreeRegressor")(max_depth=8)),
    ]
    return _class("ensemble", "VotingRegressor")(members)


def run() -> list[Row]:
    rows = []
    for size in SIZES:
        X, y = table(size + UNSEEN)
        for name, contest in contests().items():
            if size <= contest.most_rows and (not ONLY or name in ONLY):
                for who, make in makers(contest):
                    rows += _timed(f"{name}, {size:,} rows", who, make, X, y)
    return rows


def makers(contest: Contest) -> Iterator[tuple[str, Maker]]:
    """Yield the libraries of a contest, ours first."""
    if contest.ours is not None:
        yield OURS, contest.ours
    if contest.name:
        given = contest.params
        drop_in, theirs = _class(contest.module, contest.name, "vaglio.sklearn"), _class(contest.module, contest.name)
        if drop_in is not theirs:
            yield OURS if contest.ours is None else DROP_IN, lambda: drop_in(**given)
        yield THEIRS, lambda: theirs(**given)
    if contest.theirs is not None:
        yield THEIRS, contest.theirs
    yield from contest.others.items()


def _class(module: str, name: str, package: str = "sklearn") -> Any:
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def _timed(task: str, who: str, make: Maker, X: np.ndarray, y: np.ndarray) -> list[Row]:
    known, unseen = slice(0, -UNSEEN), slice(-UNSEEN, None)

    def fitted() -> Any:
        model = make()
        if hasattr(model, "get_params") and "n_jobs" in model.get_params():
            model.set_params(n_jobs=THREADS)
        return model.fit(X[known], y[known])

    with threadpool_limits(THREADS):
        make().fit(X[:500], y[:500]).predict(X[:10])  # what is loaded by the first fit is not timed
        repeats = 5 if len(y) < 50_000 else 3 if len(y) < 500_000 else 1
        seconds, model = measure(fitted, repeats)
        if repeats < 5 and seconds < 1:  # a disturbance would decide
            seconds, model = measure(fitted, 5)
        predicting, predicted = measure(lambda: model.predict(X[unseen]))
    score = float(r2_score(y[unseen], predicted))
    return [Row(f"{task}: fit", who, THREADS, seconds, score), Row(f"{task}: predict", who, THREADS, predicting, score)]
