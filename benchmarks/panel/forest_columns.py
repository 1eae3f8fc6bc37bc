"""Random forests for numbers: how many columns a split draws, chosen on some tables and judged on the others.

The tables are those of ``benchmarks.panel.numbers`` and generated ones. Every choice is compared with scikit-learn's
forest on the same folds; then each table in turn is left out, the choice that is best on the others is taken, and its
error on the table left out counts: a choice that fits some tables by chance gains nothing by it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid
from sklearn import datasets, ensemble

import vaglio
from benchmarks.panel.numbers import NumberTable, errors_of, tables
from benchmarks.panel.peers import one_hot
from benchmarks.panel.scores import mean_and_error

CHOICES = {"sqrt": "sqrt", "a third": "third", "a half": 0.5, "two thirds": "two_thirds", "all": None}
# Rows, columns, and how many of these tell the number.
FRIEDMAN_1 = [(300, 10), (300, 20), (300, 50), (1000, 10), (1000, 30)]
LINEAR = [(300, 6, 3), (300, 10, 10), (300, 30, 5), (300, 30, 30), (300, 100, 10), (800, 15, 3), (300, 3, 2)]
SPARSE = [(300, 4), (500, 12), (500, 40)]


def generated() -> Iterator[NumberTable]:
    """Yield functions with and without columns that say nothing, sums, factors behind all columns, and steps."""
    for n, p in FRIEDMAN_1:
        yield _made(f"friedman1 {n} x {p}", *datasets.make_friedman1(n, p, noise=1.0, random_state=n + p))
    for n, noise in ((200, 20.0), (1000, 100.0)):
        yield _made(f"friedman2 {n}", *datasets.make_friedman2(n, noise=noise, random_state=n))
        yield _made(f"friedman3 {n}", *datasets.make_friedman3(n, noise=0.2, random_state=n))
    for n, p, told in LINEAR:
        X, y = datasets.make_regression(n, p, n_informative=told, noise=30.0, random_state=p + told)
        yield _made(f"sum of {told} of {p}", X, y)
    for n, p in SPARSE:
        yield _made(f"4 of {p}", *datasets.make_sparse_uncorrelated(n, n_features=p, random_state=p))
    random = np.random.default_rng(5)
    for p in (8, 20):
        hidden = random.normal(size=(500, 3))
        X = hidden @ random.normal(size=(3, p)) + 0.5 * random.normal(size=(500, p))
        y = np.sin(2 * hidden[:, 0]) + hidden[:, 1] * hidden[:, 2] + 0.3 * random.normal(size=500)
        yield _made(f"3 factors of {p}", X, y)
        X = random.uniform(size=(500, p))
        y = 2.0 * (X[:, 0] > 0.5) + 3.0 * (X[:, 1] > 0.3) * (X[:, 2] > 0.6) + 0.5 * random.normal(size=500)
        yield _made(f"steps in 3 of {p}", X, y)


def _made(name: str, X: np.ndarray, y: np.ndarray) -> NumberTable:
    return NumberTable(name, "generated", pd.DataFrame(X).add_prefix("x"), y)


def beside_scikit_learn(table: NumberTable, folds: int) -> dict[str, float]:
    """Return by choice how much more error ours has, in percent."""

    def peer(seed: int) -> object:
        return one_hot(ensemble.RandomForestRegressor(random_state=seed))

    theirs = errors_of(peer, table, folds, seed=1).rmse
    found = {}
    for name, choice in CHOICES.items():

        def ours(seed: int, choice: object = choice) -> object:
            return vaglio.RandomForestRegressor(max_features=choice, random_state=seed)  # type: ignore[arg-type]

        found[name] = float(100 * np.log(errors_of(ours, table, folds, seed=1).rmse / theirs))
    return found


def chosen_on_the_others(found: pd.DataFrame) -> pd.Series:
    """Return for each table the error of the choice that has the least mean error on the other tables."""
    return pd.Series({name: found.loc[name, found.drop(index=name).mean().idxmin()] for name in found.index})


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.panel.forest_columns", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--folds", type=int, default=5, help="number of folds")
    parser.add_argument("--rows", type=int, default=800, help="largest number of rows; larger tables are sampled")
    given = parser.parse_args()
    missing: list[str] = []
    every = [*tables(given.rows, missing), *generated()]
    found = pd.DataFrame({table.name: beside_scikit_learn(table, given.folds) for table in every}).T
    grid = Grid(title="RMSE beside scikit-learn's forest, in percent", title_justify="left")
    for heading in ("table", *CHOICES):
        grid.add_column(heading, justify="left" if heading == "table" else "right")
    for name, row in found.iterrows():
        grid.add_row(str(name), *(f"{value:+.1f}" for value in row))
    grid.add_section()
    grid.add_row(f"mean of {len(found)}", *("{:+.2f} ± {:.2f}".format(*mean_and_error(found[c])) for c in CHOICES))
    console = Console(width=120)
    console.print(grid)
    mean, error = mean_and_error(chosen_on_the_others(found))
    console.print(f"chosen on the other tables: {mean:+.2f} ± {error:.2f} %")
    if missing:
        console.print(f"Not installed, and left out: {', '.join(dict.fromkeys(missing))}")


if __name__ == "__main__":
    main()
