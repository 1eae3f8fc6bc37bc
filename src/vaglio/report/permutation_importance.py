"""What any model leans on: how much worse it gets when one column is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.evaluation.labels import encode_labels
from vaglio.model.kinds import KINDS
from vaglio.report.judged_rows import judged_rows
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, plural

__all__ = ["leaning_part"]

_ROWS = 1000
# Kinds of models whose prediction costs as much as that of so many trees are slow: they get fewer rows.
_ROWS_OF_SLOW = 300
_SLOW = 30
_SHUFFLES = 3
# Cells that are encoded for all columns together; of a very wide table fewer columns are tried.
_MOST_CELLS = 40_000_000
# Smaller losses read as nought.
_LEAST = 0.0005


def leaning_part(study: Study, limits: Limits) -> dict[str, Any]:
    """Loss of accuracy by column, largest first."""
    judged = judged_rows(study)
    model = study.selection.best_estimator
    kind = KINDS.get(model.fitted_.model.kind) if hasattr(model, "fitted_") else None
    rows = np.arange(len(judged.y))
    most = _ROWS_OF_SLOW if kind is not None and kind.cost >= _SLOW else _ROWS
    rng = np.random.default_rng(study.seed)
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, most, replace=False))
    X, y = judged.X.take(rows), judged.y[rows]
    affordable = max(4, _MOST_CELLS // max(1, _SHUFFLES * len(rows) * len(X.columns)))
    names = _columns(study, X, min(2 * limits.weights, affordable))
    right = _right(study, model, X, y)
    losses = [(name, right - _right_without(study, model, X, y, name, rng)) for name in names]
    losses.sort(key=lambda pair: -pair[1])
    shown = [pair for pair in losses if pair[1] >= _LEAST][: limits.weights]
    return {
        "type": "bars",
        "title": "What it leans on",
        "note": _note(study, len(rows), len(names), len(X.columns), len(losses) - len(shown)),
        "rows": [{"label": clip(name, 48), "value": float(loss)} for name, loss in shown],
        "form": "points",
        "none": "Shuffling any one column changes nothing: the answers do not rest on a single column.",
    }


def _columns(study: Study, X: Any, most: int) -> list[str]:
    """The input columns that tell most about the class by themselves."""
    own = set(X.columns)
    ranked = [score.attribute for score in study.audit.ranking if score.attribute in own]
    return [*ranked, *(name for name in X.columns if name not in set(ranked))][:most]


def _right(study: Study, model: Any, X: Any, y: np.ndarray) -> float:
    labels = study.evaluation.labels
    return float(np.mean(encode_labels(np.asarray(model.predict(X)), labels) == encode_labels(y, labels)))


def _right_without(study: Study, model: Any, X: Any, y: np.ndarray, name: str, rng: np.random.Generator) -> float:
    # All shuffles in one table: asking a model has a price of its own.
    rows = np.tile(np.arange(len(y)), _SHUFFLES)
    mixed = np.concatenate([rng.permutation(len(y)) for _ in range(_SHUFFLES)])
    return _right(study, model, X.take(rows).with_column(X.column(name).take(mixed)), y[rows])


def _note(study: Study, n_rows: int, n_tried: int, n_columns: int, n_silent: int) -> str:
    whose = "that it also learnt from" if study.selection.outer else "that judge"
    if study.selection.strategy.name == "zero":
        whose = "it learnt from"
    said = (
        f"How much the accuracy falls on {plural(n_rows, 'row')} {whose} when a column is shuffled "
        f"(mean of {_SHUFFLES}). Of two columns that say the same, each may look unneeded."
    )
    if n_tried < n_columns:
        said += f" Tried for the {n_tried} columns of largest information gain, of {n_columns:,}."
    if n_silent:
        said += f" {plural(n_silent, 'column')} not shown: without a loss, or beyond the largest."
    return said
