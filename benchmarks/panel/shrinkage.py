"""What hierarchical shrinkage changes: single trees with each strength on the tables of the panel, left out in groups.

``python -m benchmarks.panel.shrinkage FOLDER`` prints, for CART and C4.5, the mean difference to the tree as it is
(with its standard error over the tables) in accuracy and in log loss, for every strength, for the one chosen by
cross-validation within the training rows, and for the one that the other tables would choose.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import vaglio
from benchmarks.panel.leave_out import DEFAULT, leave_tables_out
from benchmarks.panel.scores import cross_validate, mean_and_error
from benchmarks.panel.tables import PanelTable, panel_tables
from vaglio.learners.trees.estimators.shrinking import STRENGTHS

LEARNERS: dict[str, Any] = {"CART": vaglio.CARTClassifier, "C4.5": vaglio.C45Classifier}
CHOICES: dict[str, float | str | None] = {DEFAULT: None, **{f"λ = {s:g}": s for s in STRENGTHS[1:]}, '"cv"': "cv"}


def measure(learner: Any, tables: list[PanelTable], folds: int) -> dict[str, np.ndarray]:
    """Return for each choice percent correct and the log loss on each table, (2, n_tables)."""
    found = {}
    for name, strength in CHOICES.items():

        def make(seed: int, strength: float | str | None = strength) -> Any:
            return learner(shrinkage=strength, random_state=seed)

        scores = [cross_validate(make, table.X, table.y, 1, folds) for table in tables]
        found[name] = np.array([[score.accuracy for score in scores], [score.log_loss for score in scores]])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    tables = list(panel_tables(options.folder))
    for learner, make in LEARNERS.items():
        figures = measure(make, tables, options.folds)
        print(f"{learner}, {len(tables)} tables, {options.folds} folds: difference to the tree as it is")
        for name in list(CHOICES)[1:]:
            differences = figures[name] - figures[DEFAULT]
            accuracy, loss = (mean_and_error(each.tolist()) for each in differences)
            print(
                f"  {name:10} accuracy {accuracy[0]:+.2f} ± {accuracy[1]:.2f}   log loss {loss[0]:+.2f} ± {loss[1]:.2f}"
            )
        for what, (row, sign) in {"accuracy": (0, 1), "log loss": (1, -1)}.items():
            out = leave_tables_out({name: sign * each[row] for name, each in figures.items()})
            print(f"  chosen on other tables by {what}: {out.chosen}, {sign * out.gain:+.2f} ± {out.error:.2f}")


if __name__ == "__main__":
    main()
