"""Permutation importance of the columns, as bars: what the report shows for every kind of model."""

from __future__ import annotations

from typing import Any

from vaglio.evaluation import PermutationImportance, permutation_importance
from vaglio.messages.sentences import clip, plural
from vaglio.report.evaluated_rows import evaluated_rows
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.table import Table

__all__ = ["importance_part"]

# Smaller losses are printed as 0.0 points.
_LEAST = 0.0005


def importance_part(study: Study, limits: Limits) -> dict[str, Any]:
    """Loss of accuracy per column, largest first, as plain data.

    Twice as many columns are tried as are shown, because the columns of the largest information gain need not be
    those that the model uses most.
    """
    rows = evaluated_rows(study)
    found = permutation_importance(
        study.selection.best_estimator,
        rows.X,
        rows.y,
        columns=_by_gain(study, rows.X),
        max_columns=2 * limits.weights,
        seed=study.seed,
    )
    shown = [item for item in found.losses.items() if item[1] >= _LEAST][: limits.weights]
    return {
        "type": "bars",
        "title": "Permutation importance",
        "note": _note(study, found, len(rows.X.columns), len(shown)),
        "rows": [{"label": clip(name, 48), "value": loss} for name, loss in shown],
        "form": "points",
        "none": "Shuffling any single column does not lower the accuracy: no prediction depends on one column alone.",
    }


def _by_gain(study: Study, X: Table) -> list[str]:
    """The input columns, those of the largest information gain first."""
    own = set(X.columns)
    ranked = [score.attribute for score in study.audit.ranking if score.attribute in own]
    return [*ranked, *(name for name in X.columns if name not in set(ranked))]


def _note(study: Study, found: PermutationImportance, n_columns: int, n_shown: int) -> str:
    whose = "test"
    if study.selection.outer or study.selection.strategy.name == "zero":
        whose = "training"
    said = (
        f"How many percentage points the accuracy falls on {plural(found.n_rows, f'{whose} row')} when the values of "
        f"one column are shuffled (mean of {plural(found.n_repeats, 'shuffle')}). If two columns carry the same "
        "information, the loss of each may be small."
    )
    if len(found.losses) < n_columns:
        said += f" Measured for the {len(found.losses)} columns of the largest information gain, out of {n_columns:,}."
    if len(found.losses) > n_shown:
        said += f" {plural(len(found.losses) - n_shown, 'column')} with no loss or a smaller loss not shown."
    return said
