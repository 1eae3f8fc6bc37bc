"""All steps on one table: read, train, evaluate, understand, save, use, report. Run it with ``make run``."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.rule import Rule

import vaglio
from vaglio.evaluation import evaluate_by_folds
from vaglio.report import DEFAULT_LEARNERS, judging_options, write_report
from vaglio.table import Column, write

# Three penguins of unknown species; a value that was not measured is None.
MEASURED = ("island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex", "year")
NEW_PENGUINS = [
    dict(zip(MEASURED, ("Biscoe", 46.5, 14.5, 213.0, 4900.0, "female", 2009))),
    dict(zip(MEASURED, ("Dream", 50.2, 18.8, 202.0, 3800.0, "male", 2009))),
    dict(zip(MEASURED, ("Torgersen", None, 18.0, 190.0, None, None, 2009))),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, soft_wrap=True)

    console.print(Rule("The table", align="left"))
    table = vaglio.datasets.load("penguins")
    X, y = table.xy("species")
    counts = ", ".join(f"{label} {count}" for label, count in zip(*np.unique(y, return_counts=True)))
    console.print(f"{vaglio.audit(table)}\nspecies: {counts}\n", markup=False)

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
    species = model.classes.tolist()
    codes = [species.index(label) for label in model.predict(new)]
    write(new.with_column(Column.nominal("predicted", codes, species)), out / "predictions.csv")
    (out / "tree.svg").write_text(tree.to_svg(), encoding="utf-8")

    console.print()
    console.print(Rule("Is there a better learner?", align="left"))
    options = {"search": "none", **judging_options(*table.shape)}
    study = vaglio.Study(table, "species", learners=list(DEFAULT_LEARNERS["classification"]), selection_options=options)
    write_report(study, out / "penguins.html", name="penguins")
    console.print("\n".join(f"- {line}" for line in study.summary()) + "\n", markup=False)

    console.print(Rule("The files", align="left"))
    for name, what in {
        "penguins.vaglio": "the model",
        "tree.svg": "a picture of the tree",
        "predictions.csv": "the new penguins with their species",
        "penguins.html": "the report: data, learners compared, the best of them, examples explained",
    }.items():
        console.print(f"{out / name}: {what}", markup=False)
    console.print(f"Next: open {out / 'penguins.html'} in a browser, or .venv/bin/vaglio --help", markup=False)


if __name__ == "__main__":
    main()
