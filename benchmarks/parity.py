"""Accuracy on the real tables of a folder, compared with other libraries: ``python -m benchmarks.parity FOLDER``.

The folds are fixed and the same for all: ten stratified folds, shuffled by seeds 1 to 3, over the rows that have a
class, in file order. A pair ``name-train.csv``, ``name-test.csv`` is trained once and tested once, and is not part of
the means. The figures of the other libraries (the peers) are in ``reference.csv``, with their folds and versions.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from sklearn.model_selection import StratifiedKFold

import vaglio
from vaglio.learners.registry import find

REFERENCE = Path(__file__).with_name("reference.csv")

# The peer of each learner, and the parameters with which the peer was measured.
PEER_OF: dict[str, tuple[str, dict[str, Any]]] = {
    "c45": ("J48", {}),
    "ripper": ("JRip", {}),
    "naive-bayes": ("NaiveBayes", {}),
    "cart": ("CART", {"ccp_alpha": "cv", "random_state": 0}),
    "random-forest": ("RandomForest", {"n_estimators": 100}),
    "bagging": ("Bagging", {"n_estimators": 50}),
    "svm": ("SVC", {}),
    "knn": ("kNN", {"n_neighbors": 5}),
    "logistic": ("logistic", {}),
    "adaboost": ("AdaBoost", {"n_estimators": 100, "estimator": vaglio.DecisionTreeClassifier(max_depth=3)}),
}


@dataclass(frozen=True)
class Result:
    """One learner on one table: percent correct, mean size of its models, the peer's two figures, seconds."""

    table: str
    accuracy: float
    size: float | None
    peer_accuracy: float | None
    peer_size: float | None
    seconds: float
    pair: bool = False


def load_reference() -> dict[tuple[str, str], tuple[float, float | None]]:
    with REFERENCE.open(newline="", encoding="utf-8") as file:
        return {
            (line["table"], line["peer"]): (float(line["accuracy"]), float(line["size"]) if line["size"] else None)
            for line in csv.DictReader(file)
        }


def tables(folder: Path) -> Iterator[tuple[str, Path, Path | None]]:
    """Yield (name, file, test file or None) for every table of the folder, in order of name."""
    for path in sorted(folder.glob("*.arff")) + sorted(folder.glob("*.csv")):
        if path.stem.endswith("-train"):
            yield path.stem.removesuffix("-train"), path, path.with_name(path.name.replace("-train", "-test"))
        elif not path.stem.endswith("-test"):
            yield path.stem, path, None


def read_all_inputs(path: Path) -> tuple[Any, np.ndarray]:
    """Read a table with every column as an input, the class being `class` (any case) or else the last column."""
    table = vaglio.read(path)
    target = next((name for name in table.columns if name.lower() == "class"), table.columns[-1])
    X, y = table.with_roles(dict.fromkeys(table.columns, "input")).xy(target)
    return X, np.asarray(y)


def _fit(learner: str, params: dict[str, Any], seed: int, X: Any, y: np.ndarray) -> Any:
    estimator = find(learner).make(**params)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return estimator.fit(X, y)


def _size(estimator: Any) -> int | None:
    size = estimator.fitted_.model.size()
    return next((size[what] for what in ("leaves", "rules") if what in size), None)


def cross_validated(learner: str, params: dict[str, Any], path: Path, seeds: list[int]) -> tuple[float, float | None]:
    """Return the percentage correct and the mean model size over the folds of all seeds."""
    X, y = read_all_inputs(path)
    correct, sizes = [], []
    for seed in seeds:
        hits = 0
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(np.zeros(len(y)), y):
            estimator = _fit(learner, params, seed, X[train], y[train])
            hits += int(np.sum(estimator.predict(X[test]) == y[test]))
            sizes.append(_size(estimator))
        correct.append(100 * hits / len(y))
    known = [size for size in sizes if size is not None]
    return statistics.mean(correct), statistics.mean(known) if known else None


def train_test(learner: str, params: dict[str, Any], train: Path, test: Path) -> tuple[float, float | None]:
    """Return the percentage correct on the test file, and the size of the model."""
    X, y = read_all_inputs(train)
    unseen_X, unseen_y = read_all_inputs(test)
    estimator = _fit(learner, params, 1, X, y)
    return 100 * float(np.mean(estimator.predict(unseen_X) == unseen_y)), _size(estimator)


def run(learner: str, folder: Path, seeds: list[int]) -> list[Result]:
    reference = load_reference()
    peer, params = PEER_OF.get(learner, ("", {}))
    results = []
    for name, path, test in tables(folder):
        if sys.stderr.isatty():
            print(f"\r\033[K{learner}: {name}", end="\r", file=sys.stderr, flush=True)
        start = time.process_time()
        if test is None:
            accuracy, size = cross_validated(learner, params, path, seeds)
        else:
            accuracy, size = train_test(learner, params, path, test)
        seconds = time.process_time() - start
        peer_accuracy, peer_size = reference.get((name, peer), (None, None))
        results.append(Result(name, accuracy, size, peer_accuracy, peer_size, seconds, pair=test is not None))
    return results


def mean_difference(results: list[Result]) -> tuple[float, float] | None:
    """Return the mean over the tables of our accuracy minus the peer's, and its standard error."""
    known = [r.accuracy - r.peer_accuracy for r in results if r.peer_accuracy is not None and not r.pair]
    if len(known) < 2:
        return None
    return statistics.mean(known), statistics.stdev(known) / len(known) ** 0.5


def _figure(value: float | None, form: str = ".1f") -> str:
    return "" if value is None else format(value, form)


def _mean_of(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _figure(statistics.mean(known)) if len(known) == len(values) else ""


def _grid(learner: str, results: list[Result]) -> Grid:
    peer = PEER_OF.get(learner, ("no peer", {}))[0]
    grid = Grid(title=f"{learner} beside {peer}: percent correct", title_justify="left")
    grid.add_column("table")
    for heading in (learner, peer, "difference", "size", f"size of {peer}", "CPU s"):
        grid.add_column(heading, justify="right")
    for r in results:
        difference = None if r.peer_accuracy is None else r.accuracy - r.peer_accuracy
        figures = [_figure(r.accuracy, ".2f"), _figure(r.peer_accuracy, ".2f"), _figure(difference, "+.2f")]
        sizes = [_figure(r.size), _figure(r.peer_size), _figure(r.seconds)]
        grid.add_row(r.table + (" (test file)" if r.pair else ""), *figures, *sizes)
    compared = [r for r in results if r.peer_accuracy is not None and not r.pair]
    if compared:
        ours, theirs = (statistics.mean(getattr(r, what) for r in compared) for what in ("accuracy", "peer_accuracy"))
        means = [_mean_of([r.size for r in compared]), _mean_of([r.peer_size for r in compared])]
        total = _figure(sum(r.seconds for r in results))
        grid.add_section()
        grid.add_row(f"mean of {len(compared)}", f"{ours:.2f}", f"{theirs:.2f}", f"{ours - theirs:+.2f}", *means, total)
    return grid


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parity", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with .arff and .csv tables")
    parser.add_argument("--learner", default="c45", help="ids, separated by commas")
    parser.add_argument("--seeds", default="1,2,3", help="seeds of the folds, separated by commas")
    arguments = parser.parse_args()
    if not any(tables(arguments.folder)):
        parser.error(f"no .arff or .csv table in {arguments.folder}")
    # The folds are fixed. Some classes have fewer rows than folds; this is the same for all libraries.
    warnings.filterwarnings("ignore", message="The least populated class")
    console = Console()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    for learner in arguments.learner.split(","):
        results = run(learner, arguments.folder, seeds)
        console.print(_grid(learner, results))
        difference = mean_difference(results)
        if difference is not None:
            console.print(f"mean difference {difference[0]:+.2f} points, standard error {difference[1]:.2f}")


if __name__ == "__main__":
    main()
