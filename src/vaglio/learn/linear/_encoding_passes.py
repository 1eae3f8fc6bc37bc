"""How rows become numbers for linear models and networks, learned in passes."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder, guarded_from, reliability
from vaglio.errors import InputError
from vaglio.learn.inputs import note_belief
from vaglio.scale.facts import unit_of
from vaglio.scale.moments import MomentPlan
from vaglio.scale.passes import Chunk, Facts, Pass


def encoder_passes(
    estimator: Any, facts: Facts, whole: bool = False, **how: bool
) -> Generator[Pass, Any, DenseEncoder]:
    """Ask for means, deviations and tables of nominal columns; return the encoder.

    Parameters
    ----------
    estimator : LinearClassifier or network
    facts : Facts
    whole : bool
        Whether a nominal column is believed wholly or not at all.
    **how : bool
        ``drop_first`` of the encoder.
    """
    features, p = facts.codebook.features, len(facts.low)
    if estimator.preprocess is None:
        _refuse_as_is(facts)
        note_belief(estimator, features, {})
        return DenseEncoder(features, np.zeros(p), np.ones(p), np.full(p, np.nan), as_is=True)
    believed = yield from belief_passes(estimator, facts, whole)
    plan = MomentPlan.of(facts, range(p), 1)
    weight, mean, deviation = plan.moments((yield Pass("means and deviations", plan.summarize)))
    variance = np.divide(deviation[0], weight[0], out=np.zeros(p), where=weight[0] > 0)
    spread = np.sqrt(variance)
    scale = np.where(np.isfinite(spread) & (spread > 0), spread, 1.0)
    centre = mean[0]
    shown = None if (believed == 1).all() else believed
    return DenseEncoder(features, centre, scale, centre.copy(), bool(how.get("drop_first")), reliability=shown)


def belief_passes(estimator: Any, facts: Facts, whole: bool = False) -> Generator[Pass, Any, np.ndarray]:
    """Ask for the tables of nominal columns of many values; return how far each column is believed, and note it."""
    features = facts.codebook.features
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    most = guarded_from(estimator.nominal_guard, facts.n_rows)
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
    if whole and not (found == 1).all():
        kept = np.where(average < 0.5, 0.0, found)
        found = kept if kept.any() or len(features) > len(nominal) else found
    note_belief(estimator, features, dict(zip(nominal, found.tolist())))
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


def _refuse_as_is(facts: Facts) -> None:
    for feature in facts.codebook.features:
        if feature.is_nominal:
            raise InputError(
                f"Column {feature.name!r} is nominal, and preprocess=None uses X as it is: encode it as numbers first, "
                "or use preprocess='auto'."
            )
    if facts.missing.any():
        raise InputError(
            "X contains NaN, and with preprocess=None nothing is imputed: fill the missing values first, or use "
            "preprocess='auto'."
        )
