"""Fitting and scoring on rows out of core: by the passes that a learner asks for, and by exact sums over all rows.

Sums have the same bits on any partitioning.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import compute_class_weight

from vaglio._version import __version__
from vaglio.encode import aligned_labels, spread_rows, spreads_of
from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.engine import Engine
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.passes import Chunk, Pass, TableSummary
from vaglio.engines.raw import Recoding
from vaglio.engines.row_samples import EncodedRows, rows_pass
from vaglio.engines.sources import Labelled, Source, source_of
from vaglio.engines.survey import Survey, class_totals, facts_of, plan_of, unit_of
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError, NotSupportedError, as_own_errors
from vaglio.fitted import Fitted
from vaglio.learners.calibrating import calibration_of, calibration_rows
from vaglio.learners.inputs import whole_multiples
from vaglio.learners.provenance import describe_rows, findings_of, plain_params, rows_to_describe
from vaglio.model.calibration import Calibration
from vaglio.runtime.progress import reporting
from vaglio.runtime.threads import one_blas_thread

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator


def fit_out_of_core(estimator: Any, X: Any, y: Any, sample_weight: Any, regression: bool) -> None:
    """Fit an estimator on rows out of core.

    Parameters
    ----------
    estimator : VaglioEstimator
    X : ScannedTable or Dask frame
    y : ScannedColumn or Dask series
    sample_weight : ScannedColumn, Dask series or None
    regression : bool
    """
    estimator._validate_params()
    source = source_of(X, y, sample_weight)
    _refuse_passes(estimator, source)
    settings = present_settings()
    with (
        reporting(settings.progress) as report,
        one_blas_thread(),
        contextlib.closing(source.engine(regression, estimator._threads(), report)) as engine,
    ):
        survey = engine.survey()
        if survey is None:
            raise InputError("empty-target", "No row has a value of the target, so there is nothing to learn.")
        plan = _in_proportion(estimator, survey, engine, _planned(estimator, survey, regression))
        engine.encode(plan)
        facts = facts_of(survey, plan, estimator._threads(), engine.memory, engine.room)
        facts = replace(facts, scales_weights=estimator._scales_weights)
        described, facts = _described(engine, facts)
        _set_up(estimator, facts)
        estimator._note_columns(source.example())
        checkpoint = None
        if settings.checkpoint is not None:
            checkpoint = Checkpoint(settings.checkpoint, _training(estimator, described, survey), settings.resume)
        model = engine.run(estimator._passes(facts), checkpoint)
        calibration = None if regression else _calibration(estimator, engine, facts)
    provenance: dict[str, Any] = {"version": __version__, "training": described, **findings_of(estimator)}
    if getattr(estimator, "learned_with_", None):
        provenance["learned_with"] = dict(estimator.learned_with_)
    params, classes = plain_params(estimator), getattr(estimator, "classes_", None)
    about = classes, estimator._learner_id, params, provenance
    estimator.fitted_ = Fitted(facts.codebook, model, *about, calibration=calibration)


def _calibration(estimator: VaglioClassifier, engine: Engine, facts: TableSummary) -> Calibration | None:
    """Gather the rows by which probabilities are corrected: no more than memory always has."""
    if estimator.calibrate is None:
        return None
    rows = engine.answer(rows_pass(calibration_rows(facts.n_rows), "rows to calibrate by")).joined(facts.threads)
    return calibration_of(estimator, facts.codebook, rows.matrix, rows.y, rows.weight)


def _refuse_passes(estimator: VaglioEstimator, source: Source) -> None:
    """Raise the error of a learner that needs all rows, with what they would take, if that is known."""
    try:
        estimator._refuse_passes()
    except NotSupportedError as error:
        rows = source.known_rows
        if rows is None:
            raise
        held = 8 * rows * (len(source.columns) + 1)
        raise NotSupportedError(
            "memory-of-rows",
            "{problem} The {rows:,} rows take {held:,.1f} MB.",
            problem=error.message,
            rows=rows,
            held=held / 1000000.0,
        ) from None


def _planned(estimator: Any, survey: Survey, regression: bool) -> Recoding:
    """Return the codes of the rows and their weights."""
    plan = replace(plan_of(survey, getattr(estimator, "unseen", "missing")), threads=1)
    for feature in plan.codebook.features:
        if feature.kind == "text":
            raise NotSupportedError(
                "free-text-in-passes",
                "Column {column!r} is free text, which cannot be learned out of core.",
                column=feature.name,
            )
    if not regression and (plan.classes is None or len(plan.classes) < estimator._min_classes):
        only = "" if plan.classes is None else repr(plan.classes[0])
        raise InputError(
            "one-class-in-passes",
            "The number of classes has to be greater than one: every row is {label}.",
            label=only,
        )
    plan = replace(plan, factors=_factors(estimator, survey, plan))
    if plan.factors is None and survey.weight_range == (1.0, 1.0):
        return plan
    factors = np.ones(1) if plan.factors is None else plan.factors
    scale = 1.0
    if estimator._scales_weights:
        scale = survey.n_rows / _total_weight(survey, plan, factors)
    largest = float(survey.weight_range[1] * factors.max() * scale)
    return replace(plan, scale=scale, unit=unit_of(largest, survey.n_rows))


def _in_proportion(estimator: Any, survey: Survey, engine: Engine, plan: Recoding) -> Recoding:
    """Return the plan for weights of which only the proportions matter: as in memory, by whole numbers if they are."""
    least, largest = survey.weight_range
    if not estimator._scales_weights or plan.factors is not None or (least, largest) == (1.0, 1.0):
        return plan
    if least == largest:
        return replace(plan, alike=True, scale=1.0, unit=1.0)
    engine.encode(plan)
    total = engine.answer(Pass("proportions of weights", partial(_multiples, (least, largest)), _sum_of_both))
    if total is None:
        return plan
    plan = replace(plan, least=least, scale=survey.n_rows / total)
    return replace(plan, unit=unit_of(float(plan.scaled(largest)), survey.n_rows))


def _multiples(ends: tuple[float, float], chunk: Chunk) -> float | None:
    assert chunk.given is not None
    whole = whole_multiples(chunk.given, *ends)
    return None if whole is None else float(whole.sum())


def _sum_of_both(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def _total_weight(survey: Survey, plan: Recoding, factors: np.ndarray) -> float:
    if plan.classes is not None:
        return float((class_totals(survey, plan.classes)[1] * factors).sum())
    return float(survey.n_rows) if survey.total_weight is None else survey.total_weight.value


def _factors(estimator: VaglioEstimator, survey: Survey, plan: Recoding) -> np.ndarray | None:
    given = getattr(estimator, "class_weight", None)
    if given is None or plan.classes is None:
        return None
    _, weight = class_totals(survey, plan.classes)
    if isinstance(given, str):
        # As scikit-learn balances: every class has the same weight in all.
        factors = weight.sum() / (len(weight) * weight)
    else:
        with as_own_errors():
            factors = compute_class_weight(given, classes=plan.classes, y=plan.classes)
    if not (np.isfinite(factors).all() and (factors > 0).all()):
        raise InputError(
            "class-weight-in-passes",
            "Out of core, class_weight needs a positive number for each class.",
        )
    return None if (factors == 1).all() else np.asarray(factors, dtype=np.float64)


def _described(engine: Engine, facts: TableSummary) -> tuple[dict[str, Any], TableSummary]:
    """Return what the model file says of the training rows, and the facts with the spreads of the columns."""
    n, features = facts.n_rows, facts.codebook.features
    p = len(facts.low)
    printed, shared, hashed = rows_to_describe(n, len(features))
    spread = spread_rows(n, p)
    wanted = np.unique(np.concatenate([printed, shared, hashed, spread]))
    rows: EncodedRows = engine.answer(rows_pass(wanted)).joined(1)

    def at(index: np.ndarray) -> EncodedRows:
        return rows.take(np.searchsorted(rows.index, index))

    spreads = spreads_of(at(spread).matrix.numeric) if p else ()
    incomplete = tuple(np.flatnonzero(facts.missing).tolist())
    codebook = replace(facts.codebook, spreads=spreads, incomplete=incomplete)
    sample = at(printed)
    described = describe_rows(n, (sample.matrix, sample.y), at(shared).matrix, at(hashed).matrix, facts.low, facts.high)
    return described, replace(facts, codebook=codebook)


def _set_up(estimator: Any, facts: TableSummary) -> None:
    """Set the attributes that every fitted estimator has."""
    names = facts.codebook.names
    estimator.n_features_in_ = len(names)
    estimator.feature_names_in_ = np.array(names, dtype=object)
    if facts.classes is not None:
        estimator.classes_ = facts.classes


def _training(estimator: VaglioEstimator, described: dict[str, Any], survey: Survey) -> str:
    """Return what tells this training from others: rows that were changed since are noticed by what they sum up to."""
    said = {"learner": estimator._learner_id, "params": plain_params(estimator), "rows": described}
    said["seen"] = survey.in_short()
    return json.dumps({**said, "version": __version__}, sort_keys=True, default=str)


def accuracy_out_of_core(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the share of rows whose class is predicted; rows without a class are left out."""
    right, whole = ExactSum.of([]), ExactSum.of([])
    for here, all_here in source_of(X, y, weight).labelled(partial(_right, fitted)):
        right, whole = right.merge(here), whole.merge(all_here)
    if whole.value == 0:
        raise InputError("no-row-to-score", "No row has a class and a weight above zero, so there is nothing to score.")
    return right.value / whole.value


def _right(fitted: Fitted, rows: Labelled) -> tuple[ExactSum, ExactSum]:
    inputs, true, weights = rows
    counts = np.ones(len(true)) if weights is None else weights
    hits = fitted.predict(inputs) == aligned_labels(true, fitted.classes)
    return ExactSum.of(counts[hits]), ExactSum.of(counts)


def determination_out_of_core(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the coefficient of determination; rows without a number are left out."""
    sums = [ExactSum.of([]) for _ in range(4)]
    for here in source_of(X, y, weight).labelled(partial(_squares, fitted), regression=True):
        sums = [a.merge(b) for a, b in zip(sums, here)]
    total, first, second, error = (each.value for each in sums)
    if total == 0:
        raise InputError(
            "no-number-to-score", "No row has a target value and a weight above zero, so there is nothing to score."
        )
    spread = second - first * first / total
    return 1 - error / spread if spread > 0 else float(error == 0)


def _squares(fitted: Fitted, rows: Labelled) -> list[ExactSum]:
    inputs, true, weights = rows
    w = np.ones(len(true)) if weights is None else weights
    error = w * (true - fitted.predict(inputs)) ** 2
    return [ExactSum.of(terms) for terms in (w, w * true, w * true * true, error)]
