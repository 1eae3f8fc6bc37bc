"""A model of nearest neighbours whose rows do not fit in memory: they are written to files and looked at in parts."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from vaglio.encode import Feature, guarded_from, reliability, reliability_for_numbers
from vaglio.engines.passes import Chunk, Facts, Walk
from vaglio.engines.work_settings import present_settings
from vaglio.errors import NotSupportedError
from vaglio.learners.inputs import note_belief
from vaglio.learners.neighbors.estimators.column_scale import typical_differences_of_parts
from vaglio.learners.neighbors.passes.row_files import RowFiles

# Of the bytes of a pass, the share that the rows of one file take: they are held as numbers, scaled, and as an index.
_PART_SHARE = 8
# What is held of each row while a nominal column of many values is weighed against a number (codes, sums, squares), or
# while K is chosen (its target and its folds).
_BYTES_PER_ROW = 64


def write_rows(facts: Facts) -> Generator[Walk, Any, RowFiles]:
    """Ask for all rows, one chunk after the other, and write them to files."""
    files = RowFiles(present_settings().spill, facts.memory // _PART_SHARE)
    try:
        yield Walk("rows to disk", files, _added, here=True)
        files.finish()
    except BaseException:
        files.close()
        raise
    return files


def refuse_folds(facts: Facts) -> None:
    """Refuse to choose K by folds if the folds of all rows do not fit in memory."""
    needed, allowed = facts.n_rows * _BYTES_PER_ROW, 2 * facts.memory
    if needed > allowed:
        raise NotSupportedError(
            f"To choose K, n_neighbors='cv' holds the folds of all rows, about {needed >> 20} MB, more than the memory "
            f"limit allows ({allowed >> 20} MB): name a number of neighbours (one chosen on a sample, data.sample(N), "
            "serves), or raise the limit."
        )


def _added(files: RowFiles, chunk: Chunk) -> RowFiles:
    files.add(chunk)
    return files


def scale_of(files: RowFiles, columns: int) -> np.ndarray:
    """Return the typical difference of two rows in each column of numbers."""
    return typical_differences_of_parts(lambda: (part.numeric for part in files.parts()), columns)


def belief_of(estimator: Any, files: RowFiles, facts: Facts) -> np.ndarray:
    """Return how far each nominal column is believed, as from rows in memory, and note it."""
    features = facts.codebook.features
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    most = guarded_from(estimator.nominal_guard, facts.n_rows)
    found = np.ones(len(nominal))
    for q, j in enumerate(nominal):
        if len(features[j].categories) > most:
            of_column = _of_classes if facts.n_classes else _of_numbers
            found[q] = of_column(files, q, features[j], facts)
    if len(features) == len(nominal) and not found.any():
        found = np.ones_like(found)
    note_belief(estimator, features, dict(zip(nominal, found.tolist())))
    return found


def _of_classes(files: RowFiles, q: int, feature: Feature, facts: Facts) -> float:
    values, k = len(feature.categories), facts.n_classes
    table, squares = np.zeros(values * k), np.zeros(values)
    for part in files.parts():
        known = part.codes[:, q] >= 0
        codes = part.codes[known, q].astype(np.int64)
        weight = part.weight[known] if part.weight.size else np.ones(len(codes))
        table = _added_up(table, codes * k + part.target[known], weight)
        squares = _added_up(squares, codes, weight**2)
    return reliability(table.reshape(values, k), squares)


def _added_up(sums: np.ndarray, cells: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Go on with sums: ``bincount`` adds one term after the other, so that they are those of all rows at once."""
    return np.bincount(np.concatenate([np.arange(len(sums)), cells]), np.concatenate([sums, terms]))


def _of_numbers(files: RowFiles, q: int, feature: Feature, facts: Facts) -> float:
    needed, allowed = facts.n_rows * _BYTES_PER_ROW, 2 * facts.memory
    if needed > allowed:
        raise NotSupportedError(
            f"Column {feature.name!r} has {len(feature.categories)} categories, and how far it is believed is "
            f"computed from all rows at once, about {needed >> 20} MB, more than the memory limit allows "
            f"({allowed >> 20} MB): raise the limit, leave the column out, or set nominal_guard=None."
        )
    codes, target, weight = [], [], []
    for part in files.parts():
        known = part.codes[:, q] >= 0
        codes.append(part.codes[known, q].astype(np.int64))
        target.append(part.target[known])
        weight.append(part.weight[known] if part.weight.size else np.ones(len(codes[-1])))
    rows = np.concatenate(codes)
    return reliability_for_numbers(rows, np.concatenate(target), np.concatenate(weight)) if len(rows) else 1.0
