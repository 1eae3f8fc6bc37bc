"""Numeric targets: defaults beside other libraries on tables of PyPI packages, by cross-validation.

The tables come with packages that need no network once they are installed: scikit-learn, vaglio itself, statsmodels,
vega_datasets and ISLP. Packages and libraries that are not installed are named and left out. A table counts by the
logarithm of the ratio of two RMSE, so that no unit matters; ``python -m benchmarks.panel.numbers --help`` says more.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid
from sklearn import datasets, ensemble, linear_model, neighbors, neural_network, svm, tree
from sklearn.base import clone

import vaglio
from benchmarks.panel.peers import one_hot
from benchmarks.panel.scores import mean_and_error
from vaglio.evaluation import SplitRules, make_folds
from vaglio.learners.registry import REGRESSORS

Maker = Callable[[int], Any]


@dataclass(frozen=True)
class NumberTable:
    """A table of the panel with the number to predict."""

    name: str
    source: str
    X: pd.DataFrame
    y: np.ndarray


# Package -> the name of a table, and its target.
STATSMODELS = {
    "ccard": "AVGEXP",
    "copper": "WORLDCONSUMPTION",
    "engel": "foodexp",
    "fair": "affairs",
    "grunfeld": "invest",
    "randhie": "mdvis",
}
VEGA = {"cars": "Miles_per_Gallon", "barley": "yield", "seattle_weather": "temp_max"}
ISLP = {
    "Auto": "mpg",
    "Bikeshare": "bikers",
    "Boston": "medv",
    "Carseats": "Sales",
    "College": "Outstate",
    "Credit": "Balance",
    "Hitters": "Salary",
    "Wage": "wage",
}
# Columns that give the target away.
LEAKS = {"Bikeshare": ["casual", "registered"], "Wage": ["logwage"]}


def tables(most_rows: int, missing: list[str]) -> Iterator[NumberTable]:
    """Yield the tables in a fixed order; packages that are not installed are added to ``missing``."""
    for name, source, frame, target in _frames(missing):
        if target not in frame:
            missing.append(f"{name} of {source}, which has no column {target}")
            continue
        known = frame[frame[target].notna()].drop(columns=LEAKS.get(name, []), errors="ignore").reset_index(drop=True)
        if len(known) > most_rows:
            known = known.sample(most_rows, random_state=0).sort_index().reset_index(drop=True)
        yield NumberTable(name, source, known.drop(columns=target), known[target].to_numpy(dtype=np.float64))


def _frames(missing: list[str]) -> Iterator[tuple[str, str, pd.DataFrame, str]]:
    diabetes: Any = datasets.load_diabetes(as_frame=True, scaled=False)
    yield "diabetes", "scikit-learn", diabetes.frame, "target"
    penguins = vaglio.datasets.load("penguins").to_frame()
    yield "penguins", "vaglio", penguins, "body_mass_g"
    for number in (1, 2, 3):
        make = getattr(datasets, f"make_friedman{number}")
        X, y = make(n_samples=500, noise=1.0 if number == 1 else 0.1, random_state=0)
        yield f"friedman{number}", "scikit-learn", pd.DataFrame(X).add_prefix("x").assign(target=y), "target"
    if module := _module("statsmodels.datasets", missing):
        for name, target in STATSMODELS.items():
            yield name, "statsmodels", importlib.import_module(f"{module.__name__}.{name}").load_pandas().data, target
    if module := _module("vega_datasets", missing):
        for name, target in VEGA.items():
            yield name, "vega_datasets", getattr(module.local_data, name)(), target
    if module := _module("ISLP", missing):
        for name, target in ISLP.items():
            yield name, "ISLP", module.load_data(name).reset_index(drop=True), target


def _module(name: str, missing: list[str]) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        missing.append(name.partition(".")[0])
        return None


def ours(learner: str) -> Maker:
    """Return our learner with its defaults."""

    def make(seed: int) -> Any:
        made = REGRESSORS[learner].make()
        return made.set_params(random_state=seed) if "random_state" in made.get_params() else made

    return make


def peers(missing: list[str]) -> dict[str, dict[str, Maker]]:
    """Return the libraries beside each of our learners, with their defaults and the usual encoding."""
    found: dict[str, dict[str, Maker]] = {
        "linear": {"RidgeCV": lambda seed: one_hot(linear_model.RidgeCV(np.logspace(-3, 4, 22)))},
        "cart": {"DecisionTree": lambda seed: one_hot(tree.DecisionTreeRegressor(random_state=seed))},
        "optimal-tree": {"depth 3": lambda seed: one_hot(tree.DecisionTreeRegressor(max_depth=3, random_state=seed))},
        "model-tree": {"RidgeCV": lambda seed: one_hot(linear_model.RidgeCV(np.logspace(-3, 4, 22)))},
        "oblique": {"DecisionTree": lambda seed: one_hot(tree.DecisionTreeRegressor(random_state=seed))},
        "svm": {"SVR": lambda seed: one_hot(svm.SVR())},
        "mlp": {"MLP": lambda seed: one_hot(neural_network.MLPRegressor(random_state=seed))},
        "knn": {"KNeighbors": lambda seed: one_hot(neighbors.KNeighborsRegressor())},
        "bagging": {"Bagging": lambda seed: one_hot(ensemble.BaggingRegressor(random_state=seed))},
        "random-forest": {"RandomForest": lambda seed: one_hot(ensemble.RandomForestRegressor(random_state=seed))},
        "adaboost": {"AdaBoost": lambda seed: one_hot(ensemble.AdaBoostRegressor(random_state=seed))},
        "gradient-boosting": {
            "HistGradientBoosting": lambda seed: one_hot(ensemble.HistGradientBoostingRegressor(random_state=seed))
        },
        "additive": {},
    }
    boosting = found["gradient-boosting"]
    if module := _module("lightgbm", missing):
        boosting["LightGBM"] = lambda seed: one_hot(module.LGBMRegressor(random_state=seed, verbose=-1))
    if xgboost := _module("xgboost", missing):
        boosting["XGBoost"] = lambda seed: one_hot(xgboost.XGBRegressor(random_state=seed))
    if catboost := _module("catboost", missing):
        boosting["CatBoost"] = lambda seed: one_hot(
            catboost.CatBoostRegressor(random_state=seed, verbose=False, allow_writing_files=False)
        )
    if interpret := _module("interpret.glassbox", missing):
        found["additive"]["interpret"] = lambda seed: one_hot(interpret.ExplainableBoostingRegressor(random_state=seed))
    return found


@dataclass(frozen=True)
class Errors:
    """RMSE over all rows, each predicted in its fold, that of the mean, and the seconds of training and prediction."""

    rmse: float
    of_mean: float
    seconds: float


def errors_of(make: Maker, table: NumberTable, folds: int, seed: int) -> Errors:
    """Return the errors of a learner by cross-validation, on folds stratified by quantiles of the target."""
    predicted, mean = np.empty(len(table.y)), np.empty(len(table.y))
    start = time.process_time()
    for train, test in make_folds(table.y, folds, rules=SplitRules(seed=seed), task="regression"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(make(seed)).fit(table.X.iloc[train], table.y[train])
            predicted[test] = model.predict(table.X.iloc[test])
        mean[test] = table.y[train].mean()
    seconds = time.process_time() - start
    rmse, of_mean = (float(np.sqrt(np.mean((each - table.y) ** 2))) for each in (predicted, mean))
    return Errors(rmse, of_mean, seconds)


def print_learner(console: Console, learner: str, found: dict[str, dict[str, Errors]]) -> None:
    """Print RMSE over that of the mean on every table, and how much more error ours has than each peer, in percent."""
    names = list(next(iter(found.values())))
    grid = Grid(title=f"{learner}: RMSE as a share of that of the mean", title_justify="left")
    grid.add_column("table")
    for who in found:
        grid.add_column(who, justify="right")
    for name in names:
        grid.add_row(name, *(f"{scores[name].rmse / scores[name].of_mean:.3f}" for scores in found.values()))
    grid.add_section()
    own, differences = found["vaglio"], []
    for who, scores in found.items():
        ratios = [100 * np.log(own[name].rmse / scores[name].rmse) for name in names]
        mean, error = mean_and_error(ratios)
        differences.append("" if who == "vaglio" else f"{mean:+.2f} ± {error:.2f} %")
    grid.add_row("vaglio's RMSE beside it", *differences)
    grid.add_row("CPU s", *(f"{sum(score.seconds for score in scores.values()):.1f}" for scores in found.values()))
    console.print(grid)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel.numbers", description=__doc__.splitlines()[0])
    parser.add_argument("--learner", default="", help="ids, separated by commas; all that have a peer without it")
    parser.add_argument("--tables", default="", help="names of tables, separated by commas; all without it")
    parser.add_argument("--folds", type=int, default=10, help="number of folds")
    parser.add_argument("--rows", type=int, default=2000, help="largest number of rows; larger tables are sampled")
    parser.add_argument("--seed", type=int, default=1, help="seed of the folds and the learners")
    parser.add_argument("--out", type=Path, help="also write every RMSE to this .csv file")
    given = parser.parse_args()
    wanted, named = ([name for name in text.split(",") if name] for text in (given.learner, given.tables))
    console, missing = Console(width=160), []  # type: ignore[var-annotated]
    chosen = [table for table in tables(given.rows, missing) if not named or table.name in named]
    lines: list[tuple[Any, ...]] = []
    for learner, beside in peers(missing).items():
        if wanted and learner not in wanted:
            continue
        found = {
            who: {table.name: errors_of(make, table, given.folds, given.seed) for table in chosen}
            for who, make in {"vaglio": ours(learner), **beside}.items()
        }
        print_learner(console, learner, found)
        for who, scores in found.items():
            lines += [(learner, who, name, each.rmse, each.of_mean, each.seconds) for name, each in scores.items()]
    if missing:
        console.print(f"Not installed, and left out: {', '.join(dict.fromkeys(missing))}")
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("learner", "library", "table", "rmse", "of_mean", "seconds"), *lines])


if __name__ == "__main__":
    main()
