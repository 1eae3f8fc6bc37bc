"""Writes the figures of docs/trees.md: one tree of the penguins table, pruned by every method."""

from __future__ import annotations

from pathlib import Path

from sklearn.model_selection import StratifiedKFold, cross_val_score

import vaglio

BEGIN, END = "<!-- pruning: begin -->", "<!-- pruning: end -->"

METHODS = [
    ("unpruned", {}),
    ("pessimistic, ε = ½", {"pruning": "pessimistic"}),
    ("pessimistic, ε = 1", {"pruning": "pessimistic", "epsilon": 1.0}),
    ("error-based, CF 0.25", {"pruning": "error_based"}),
    ("error-based, CF 0.05", {"pruning": "error_based", "confidence_factor": 0.05}),
    ("reduced-error, a third held out", {"pruning": "reduced_error"}),
    ("cost-complexity, α = 0.01", {"ccp_alpha": 0.01}),
    ("cost-complexity, α by cross-validation", {"ccp_alpha": "cv"}),
    ("the same, one standard error", {"ccp_alpha": "cv", "one_standard_error": True}),
    ("pre-pruned: χ² at 1 %", {"chi2_alpha": 0.01}),
    ("pre-pruned: 10 rows per leaf", {"min_samples_leaf": 10}),
]


def table() -> str:
    columns = ["bill_depth_mm", "body_mass_g", "sex", "species"]
    X, y = vaglio.datasets.load("penguins").select(columns).xy("species")
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    lines = ["| method | leaves | depth | training accuracy | ten-fold accuracy |", "|---|---|---|---|---|"]
    for name, options in METHODS:
        tree = vaglio.DecisionTreeClassifier(random_state=0, **options).fit(X, y)
        score = cross_val_score(vaglio.DecisionTreeClassifier(random_state=0, **options), X, y, cv=folds).mean()
        lines.append(f"| {name} | {tree.get_n_leaves()} | {tree.get_depth()} | {tree.score(X, y):.3f} | {score:.3f} |")
    return "\n".join(lines)


def main() -> None:
    page = Path(__file__).with_name("trees.md")
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
