"""The whole way on one table: read, train, evaluate, understand, save, use. Run it with ``make run``."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.rule import Rule

import vaglio
from vaglio.evaluation import evaluate_by_folds

NEW_PENGUINS = [
    {"island": "Biscoe", "bill_length_mm": 46.5, "bill_depth_mm": 14.5, "flipper_length_mm": 213.0, "sex": "female"},
    {"island": "Dream", "bill_length_mm": 50.2, "bill_depth_mm": 18.8, "flipper_length_mm": 202.0, "sex": "male"},
    {"island": "Torgersen", "bill_length_mm": None, "bill_depth_mm": 18.0, "flipper_length_mm": 190.0, "sex": None},
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)

    console.print(Rule("The table", align="left"))
    table = vaglio.datasets.load("penguins").drop(["year", "body_mass_g"])
    X, y = table.xy("species")
    missing = sum(table.column(name).n_missing for name in table.columns)
    counts = ", ".join(f"{label} {count}" for label, count in zip(*np.unique(y, return_counts=True)))
    console.print(f"{len(table)} rows, {X.shape[1]} inputs, {missing} missing values; species: {counts}\n")

    console.print(Rule("Ten-fold evaluation", align="left"))
    evaluation = evaluate_by_folds(vaglio.C45Classifier(), X, y)
    console.print(f"{evaluation.to_text()}\n", markup=False)

    console.print(Rule("The tree, as rules", align="left"))
    tree = vaglio.C45Classifier().fit(X, y)
    console.print(f"{tree.rules()}\n", markup=False)

    console.print(Rule("New penguins", align="left"))
    tree.save(out / "penguins.vaglio")
    model = vaglio.load(out / "penguins.vaglio")
    new = vaglio.Table.from_any(NEW_PENGUINS)
    for row, explanation in zip(NEW_PENGUINS, model.explain(new)):
        given = ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)
        console.print(f"{given}\n  → {explanation.to_text()}", markup=False)
    (out / "tree.svg").write_text(tree.to_svg(), encoding="utf-8")
    console.print(f"\nThe model is in {out}/penguins.vaglio, a picture of the tree in {out}/tree.svg.", markup=False)
    console.print(f"Next: .venv/bin/vaglio inspect {out}/penguins.vaglio, or .venv/bin/vaglio --help", markup=False)


if __name__ == "__main__":
    main()
