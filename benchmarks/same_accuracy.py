"""Accuracy from disk beside that in memory, on the same rows: ``python -m benchmarks.same_accuracy FOLDER [ROWS]``.

FOLDER has adult-train.csv, adult-test.csv and flights.csv; of the flights at most ROWS are used, a third to test.
Both trainings have the same parameters and bins. A difference of 0 means the same predictions, but for chance.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import vaglio
from vaglio import scan
from vaglio.learners.registry import find
from vaglio.table import Table, read, write

LEARNERS: dict[str, dict[str, Any]] = {
    "naive-bayes": {"likelihood": "mdl"},
    "logistic": {},
    "id3": {"max_bins": 64, "max_depth": 12},
    "random-forest": {"n_estimators": 20, "max_bins": 64, "max_depth": 12, "random_state": 0},
}


def tables(folder: Path, rows: int) -> dict[str, tuple[Table, Table, str]]:
    """Training rows, test rows and the class of each table."""
    flights = read(folder / "flights.csv")
    target = flights.columns[-1] if flights.target is None else flights.target
    flights = read(folder / "flights.csv", target)[:rows]
    cut = 2 * len(flights) // 3
    adult = read(folder / "adult-train.csv", -1)
    assert adult.target is not None
    test = read(folder / "adult-test.csv", adult.target, like={name: _kind(adult, name) for name in adult.columns})
    return {"adult": (adult, test, adult.target), "flights": (flights[:cut], flights[cut:], target)}


def _kind(table: Table, name: str) -> str:
    column = table.column(name)
    return "date" if column.is_date else column.kind


def main() -> None:
    folder, rows = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    print(f"{'table':<10} {'learner':<15} {'in memory':>10} {'from disk':>10} {'difference':>11}")
    with tempfile.TemporaryDirectory() as place:
        for name, (train, test, target) in tables(folder, rows).items():
            path = Path(place) / f"{name}.parquet"
            X, y = train.xy(target)
            kept = train.select([*X.columns, target])
            write(kept, path)
            unseen, true = test.labelled(target).select([*X.columns, target]).xy(target)
            for learner, params in LEARNERS.items():
                inside = find(learner).make().set_params(**params).fit(X, y).score(unseen, true)
                with vaglio.streaming("4GB"):
                    outside = find(learner).make().set_params(**params).fit(*scan(path).xy(target)).score(unseen, true)
                print(
                    f"{name:<10} {learner:<15} {inside:>10.5f} {outside:>10.5f} {outside - inside:>+11.5f}", flush=True
                )


if __name__ == "__main__":
    main()
