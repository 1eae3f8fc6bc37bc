"""Gradient boosting beside four libraries, or additive models beside interpret: accuracy and log loss of each table.

The real tables are taken whole, on stratified folds that seeds shuffle, in the order of their files; ten folds and the
seeds 1 to 3 are those of ``reference.csv``. Pairs of files for training and test are fitted once, and so are the larger
tables, which are generated. Every figure is kept in a file, by the versions of the libraries, so that the command can
be interrupted and called again; the cheap tables come first. Where a library takes more processor time on a table than
``--minutes``, it is given up there: the table is named, and left out for all.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid
from sklearn.datasets import make_classification, make_hastie_10_2

from benchmarks.panel.boosters import Booster
from benchmarks.panel.pairs import Maker, interpret
from benchmarks.panel.records import Records
from benchmarks.panel.scores import Score, mean_and_error, score_test_rows
from benchmarks.panel.tables import PanelTable
from benchmarks.parity import read_all_inputs, tables
from vaglio.learners.registry import find

# Ours under the name that its figures are kept by.
OURS = {"gradient-boosting": "vaglio", "additive": "vaglio additive"}
# The libraries, and the distributions whose versions are part of the names of their figures.
PEERS = {
    "HistGradientBoosting": "scikit-learn",
    "LightGBM": "lightgbm",
    "XGBoost": "xgboost",
    "CatBoost": "catboost",
}
LARGER_ROWS = 20_000


@dataclass(frozen=True)
class Divided:
    """A table whose first rows are learned from; the others are predicted."""

    table: PanelTable
    n_train: int

    def score(self, make: Maker, seed: int) -> Score:
        X, y, n = self.table.X, self.table.y, self.n_train
        return score_test_rows(make(seed), X[:n], y[:n], X[n:], y[n:])


def makers(learner: str) -> dict[str, Maker]:
    """Return ours, then the peers, each with its defaults."""
    found: dict[str, Maker] = {OURS[learner]: lambda seed: find(learner).make(random_state=seed)}
    if learner == "additive":
        return {**found, f"interpret {version('interpret-core')}": interpret}
    return {**found, **{f"{name} {version(home)}": partial(Booster, name) for name, home in PEERS.items()}}


def cost(table: PanelTable) -> int:
    """Return what the time of training grows with: cells times classes."""
    return int(table.X.size * len(np.unique(table.y)))


def real_tables(folder: Path) -> Iterator[PanelTable]:
    """Yield the tables of the folder that folds divide, whole."""
    for name, path, test in tables(folder):
        if test is None and name != "flights":
            X, y = read_all_inputs(path)
            yield PanelTable(name, "real", X.to_frame(), y.astype(str))


def divided_tables(folder: Path) -> Iterator[Divided]:
    """Yield the tables with rows of their own to predict: pairs of files, then the larger ones that are generated."""
    for name, path, test in tables(folder):
        if test is not None:
            (X, y), (unseen, labels) = read_all_inputs(path), read_all_inputs(test)
            both = pd.concat([X.to_frame(), unseen.to_frame()], ignore_index=True)
            yield Divided(PanelTable(name, "real", both, np.concatenate([y, labels]).astype(str)), len(y))
    for name, (values, y) in larger_tables().items():
        yield Divided(PanelTable(name, "generated", values, np.asarray(y).astype(str)), LARGER_ROWS)


def larger_tables() -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Return five tables of 30 000 rows: a sphere, clusters, waves, categories of many values, effects that meet."""
    n = LARGER_ROWS + 10_000
    random = np.random.default_rng(0)
    sphere, inside = make_hastie_10_2(n, random_state=0)
    clusters, label = make_classification(
        n, 20, n_informative=8, n_redundant=4, n_classes=5, n_clusters_per_class=3, flip_y=0.05, random_state=0
    )
    waves = random.uniform(-2, 2, (n, 10))
    height = np.sin(3 * waves[:, 0]) + waves[:, 1] * waves[:, 2] + np.abs(waves[:, 3])
    words = random.zipf(1.3, n) % 2000
    effect = random.normal(size=2000)[words] + waves[:, 0]
    mixed = pd.DataFrame(waves[:, :6]).add_prefix("x").assign(word=pd.Categorical([f"w{i}" for i in words]))
    meeting = random.normal(size=(n, 15))
    sums = meeting[:, 0] * meeting[:, 1] + meeting[:, 2] * (meeting[:, 3] > 0) - np.maximum(meeting[:, 4], 0)
    return {
        "sphere": (pd.DataFrame(sphere), inside),
        "clusters": (pd.DataFrame(clusters), label),
        "waves": (pd.DataFrame(waves), np.digitize(height + random.normal(size=n) / 2, [0.0, 1.5])),
        "words": (mixed, (effect + random.logistic(size=n) > 0).astype(int)),
        "meeting": (pd.DataFrame(meeting), (sums + random.normal(size=n) / 2 > 0).astype(int)),
    }


def print_figures(console: Console, title: str, names: list[str], found: dict[str, list[Score]]) -> None:
    """Print accuracy and log loss of every table, their means, and the mean difference of ours, the first, to each.

    Tables that one of them was given up on are named and count for none.
    """
    for who, scores in found.items():
        if given_up := [name for name, score in zip(names, scores) if np.isnan(score.accuracy)]:
            console.print(f"{who} took too long, and is given up: {', '.join(given_up)}")
    whole = [i for i in range(len(names)) if not any(np.isnan(scores[i].accuracy) for scores in found.values())]
    if not whole:
        return
    names = [names[i] for i in whole]
    found = {who: [scores[i] for i in whole] for who, scores in found.items()}
    ours = next(iter(found.values()))
    grid = Grid(title=title, title_justify="left")
    grid.add_column("table")
    for who in found:
        grid.add_column(who, justify="right")
    for i, name in enumerate(names):
        grid.add_row(name, *(f"{scores[i].accuracy:.2f}  {scores[i].log_loss:.3f}" for scores in found.values()))
    means = {
        who: (np.mean([s.accuracy for s in scores]), np.mean([s.log_loss for s in scores]))
        for who, scores in found.items()
    }
    grid.add_section()
    grid.add_row("mean", *(f"{accuracy:.2f}  {loss:.3f}" for accuracy, loss in means.values()))
    differences = []
    for scores in found.values():
        mean, error = mean_and_error([a.accuracy - b.accuracy for a, b in zip(ours, scores)])
        differences.append("" if scores is ours else f"{mean:+.2f} ± {error:.2f}")
    grid.add_row("vaglio minus it", *differences)
    grid.add_row("CPU s", *(f"{sum(s.seconds for s in scores):.0f}" for scores in found.values()))
    console.print(grid)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting_accuracy", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with real .arff and .csv tables")
    parser.add_argument("--learner", choices=list(OURS), default="gradient-boosting", help="which learner of ours")
    parser.add_argument("--seeds", default="1,2,3", help="seeds of the folds, separated by commas")
    parser.add_argument("--folds", type=int, default=10, help="number of folds")
    parser.add_argument("--records", type=Path, help="file that keeps the figures: those in it are not computed again")
    parser.add_argument("--minutes", type=float, help="processor time of one library on one table and seed, at most")
    parser.add_argument("--who", default="", help="libraries, separated by commas; all without it")
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    cpu_seconds = None if arguments.minutes is None else int(60 * arguments.minutes)
    records = Records(arguments.records, seeds, arguments.folds, cpu_seconds)
    wanted = (OURS[arguments.learner], *(arguments.who.split(",") if arguments.who else ("",)))
    chosen = {who: make for who, make in makers(arguments.learner).items() if who.startswith(wanted)}
    warnings.simplefilter("ignore")
    console = Console(width=160)
    whole, divided = list(real_tables(arguments.folder)), list(divided_tables(arguments.folder))
    for table in sorted(whole, key=cost):
        for who, make in chosen.items():
            records.score(who, make, table)
    by_folds = {who: [records.score(who, make, table) for table in whole] for who, make in chosen.items()}
    print_figures(
        console,
        f"real tables, {arguments.folds} folds, seeds {arguments.seeds}: accuracy, log loss",
        [table.name for table in whole],
        by_folds,
    )
    larger: dict[str, list[Score]] = {who: [] for who in chosen}
    for one in divided:
        for who, make in chosen.items():
            key = (who, one.table.name, seeds[0], 1)
            larger[who].append(records.kept(key, partial(one.score, make, seeds[0])))
    print_figures(console, "larger tables, one test: accuracy, log loss", [one.table.name for one in divided], larger)


if __name__ == "__main__":
    main()
