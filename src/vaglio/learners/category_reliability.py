"""How far nominal columns of many values are believed, learned in passes."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.encode import guarded_from, reliability
from vaglio.engines.passes import Chunk, Pass, TableSummary
from vaglio.engines.survey import unit_of
from vaglio.learners.inputs import note_reliability

if TYPE_CHECKING:
    pass


def reliability_passes(estimator: Any, facts: TableSummary, whole: bool = False) -> Generator[Pass, Any, np.ndarray]:
    """Ask for the tables of nominal columns of many values; return how far each column is believed, and note it."""
    features = facts.codebook.features
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    most = guarded_from(estimator.high_cardinality, facts.n_rows)
    guarded = [q for q, j in enumerate(nominal) if len(features[j].categories) > most]
    found, average = np.ones(len(nominal)), np.ones(len(nominal))
    if guarded:
        sizes = [len(features[nominal[q]].categories) for q in guarded]
        unit = unit_of(facts.largest_weight**2, facts.n_rows)
        tables = yield Pass("tables of nominal columns", partial(_tables, guarded, sizes, facts.n_classes, unit))
        for q, (table, squares) in zip(guarded, tables):
            found[q] = reliability(table, squares)
            average[q] = reliability(table, squares, 0)
    if len(features) == len(nominal) and not found.any():
        found = np.ones_like(found)
    note_reliability(estimator, features, dict(zip(nominal, found.tolist())))
    if whole and not (found == 1).all():
        kept = np.where(average < 0.5, 0.0, found)
        found = kept if kept.any() or len(features) > len(nominal) else found
    return found


def _tables(
    columns: list[int], sizes: list[int], k: int, unit: float, chunk: Chunk
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    found = []
    for q, size in zip(columns, sizes):
        codes = chunk.matrix.codes[:, q].astype(np.int64)
        known = codes >= 0
        w = None if chunk.weight is None else chunk.weight[known]
        square = None if w is None else np.rint(w**2 / unit) * unit
        flat = np.bincount(codes[known] * k + chunk.y[known], w, minlength=size * k).astype(np.float64)
        squares = np.bincount(codes[known], square, minlength=size).astype(np.float64)
        found.append((flat.reshape(size, k), squares))
    return tuple(found)
