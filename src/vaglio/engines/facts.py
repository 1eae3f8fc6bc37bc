"""From the first look at all rows to the codes and facts that a learner starts from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix, spread_rows, spreads_of
from vaglio.engines.passes import MOST_VALUES, Chunk, Facts
from vaglio.engines.raw import Recoding, on_grid
from vaglio.engines.survey import Survey
from vaglio.errors import InputError


def plan_of(survey: Survey, unseen: Any = "missing") -> Recoding:
    """Return the codes of all categories and classes, for rows without weights."""
    features = tuple(column.described() for column in survey.columns)
    classes = np.unique(label_array(list(survey.labels))) if survey.labels else None
    return Recoding(Codebook(features, unseen=unseen), classes)


def label_array(labels: list[Any]) -> np.ndarray:
    """Return labels with the dtype they have in common; labels that do not compare are refused."""
    kinds = {bool if isinstance(label, bool) else str if isinstance(label, str) else float for label in labels}
    if len(kinds) > 1:
        raise InputError("Some parts have words and others numbers as classes: write every part with the same types.")
    return np.array(labels, dtype=np.str_ if kinds == {str} else None)


def class_totals(survey: Survey, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and weight of each class."""
    told = [survey.labels[label] for label in classes.tolist()]
    counts = np.array([rows for rows, _ in told], dtype=np.int64)
    weight = np.array([float(rows) if total is None else total.value for rows, total in told])
    return counts, weight


def unit_of(largest: float, n_rows: int) -> float:
    """Return the power of two whose multiples, so many and so large at most, add without rounding."""
    return math.ldexp(1.0, math.frexp(largest)[1] + math.ceil(math.log2(max(n_rows, 2))) - 52)


def facts_of(survey: Survey, plan: Recoding, threads: int, memory: int, room: int) -> Facts:
    """Return what is known of all rows; weights are those that ``plan`` gives to the rows."""
    block = [column for column, feature in zip(survey.columns, plan.codebook.features) if feature.in_numeric_block]
    weighted = plan.factors is not None or survey.weight_range != (1.0, 1.0)
    factors = np.ones(1) if plan.factors is None else plan.factors
    counts, weight = np.empty(0, np.int64), np.empty(0)
    if plan.classes is not None:
        counts, weight = class_totals(survey, plan.classes)
        weight = weight * factors * plan.scale if weighted else weight
    return Facts(
        plan.codebook,
        plan.classes,
        survey.n_rows,
        counts,
        weight,
        np.array([column.low if column.low <= column.high else np.nan for column in block], dtype=np.float64),
        np.array([column.high if column.low <= column.high else np.nan for column in block], dtype=np.float64),
        np.array([column.missing for column in survey.columns], dtype=np.int64),
        tuple(column.values for column in block),
        weighted,
        plan.unit,
        float(survey.weight_range[1] * factors.max() * plan.scale) if weighted else 1.0,
        survey.y_range,
        threads,
        memory,
        room,
    )


def facts_in_memory(
    matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, classes: np.ndarray, threads: int
) -> tuple[Facts, Chunk]:
    """Return the facts of rows in memory, all of positive weight, and the rows as the only chunk of their table."""
    n, p = matrix.numeric.shape
    columns = [np.ascontiguousarray(column) for column in matrix.numeric.T]
    looks = [_core.look_at(x) for x in columns]
    low, high = (np.array([look[at] for look in looks], dtype=np.float64) + 0.0 for at in (0, 1))
    empty = low > high
    missing = np.zeros(matrix.n_features, dtype=np.int64)
    missing[matrix.numeric_features] = [look[2] for look in looks]
    missing[matrix.nominal_features] = np.count_nonzero(matrix.codes < 0, axis=0)
    largest = 1.0 if weight is None else float(weight.max())
    unit = 1.0 if weight is None else unit_of(largest, n)
    weight = None if weight is None else on_grid(weight, unit)
    facts = Facts(
        Codebook(matrix.features, spreads=spreads_of(matrix.numeric[spread_rows(n, p)]) if p else ()),
        classes,
        n,
        np.bincount(y, minlength=len(classes)),
        np.bincount(y, weight, minlength=len(classes)).astype(np.float64),
        np.where(empty, np.nan, low),
        np.where(empty, np.nan, high),
        missing,
        tuple(np.empty(0) if none else _core.few_values(x, MOST_VALUES) for x, none in zip(columns, empty)),
        weight is not None,
        unit,
        largest,
        threads=threads,
    )
    return facts, Chunk(matrix, y, weight, 0)
