"""Fitting on rows that are not in memory: lazy tables and Dask frames, by the passes that a learner asks for."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import compute_class_weight

from vaglio._version import __version__
from vaglio.encode import spread_rows, spreads_of
from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.engine import Engine
from vaglio.engines.engines import example_rows, open_engine
from vaglio.engines.facts import class_totals, facts_of, plan_of, unit_of
from vaglio.engines.passes import Facts
from vaglio.engines.raw import Recoding
from vaglio.engines.row_samples import Rows, rows_pass
from vaglio.engines.survey import Survey
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.provenance import describe_rows, findings_of, plain_params, rows_to_describe
from vaglio.runtime.progress import reporting
from vaglio.runtime.threads import one_blas_thread
from vaglio.table import LazyTable

E = TypeVar("E")


def fit_in_passes(estimator: E, X: Any, y: Any, sample_weight: Any, regression: bool) -> E:
    """Fit an estimator on rows outside memory.

    Parameters
    ----------
    estimator : VaglioEstimator
    X : LazyTable or Dask frame
    y : LazyColumn or Dask series
    sample_weight : LazyColumn, Dask series or None
    regression : bool
    """
    _learn_in_passes(estimator, X, y, sample_weight, regression)
    return estimator


def _learn_in_passes(estimator: Any, X: Any, y: Any, sample_weight: Any, regression: bool) -> None:
    estimator._validate_params()
    _refuse_passes(estimator, X)
    settings = present_settings()
    with (
        reporting(settings.progress) as report,
        one_blas_thread(),
        _closing(open_engine(X, y, sample_weight, regression, estimator._threads(), report)) as engine,
    ):
        survey = engine.survey()
        if survey is None:
            raise InputError("No row has a value of the target, so that there is nothing to learn from.")
        plan = _planned(estimator, survey, regression)
        engine.encode(plan)
        facts = facts_of(survey, plan, estimator._threads(), engine.memory, engine.room)
        described, facts = _described(engine, facts)
        _set_up(estimator, facts)
        estimator._note_columns(example_rows(X))
        checkpoint = None
        if settings.checkpoint is not None:
            checkpoint = Checkpoint(settings.checkpoint, _training(estimator, described, survey), settings.resume)
        model = engine.run(estimator._passes(facts), checkpoint)
    provenance: dict[str, Any] = {"version": __version__, "training": described, **findings_of(estimator)}
    if getattr(estimator, "learned_with_", None):
        provenance["learned_with"] = dict(estimator.learned_with_)
    params, classes = plain_params(estimator), getattr(estimator, "classes_", None)
    estimator.fitted_ = Fitted(facts.codebook, model, classes, estimator._learner_id, params, provenance)


def _refuse_passes(estimator: Any, X: Any) -> None:
    """Raise the error of a learner that needs all rows, with what they would take, if that is known."""
    try:
        estimator._refuse_passes()
    except NotSupportedError as error:
        rows = X.known_rows if isinstance(X, LazyTable) else None
        if rows is None:
            raise
        held = 8 * rows * (len(X.columns) + 1)
        raise NotSupportedError(f"{str(error).removesuffix('.')}; {rows:,} rows take {held / 1e6:,.1f} MB.") from None


@contextlib.contextmanager
def _closing(engine: Engine) -> Iterator[Engine]:
    try:
        yield engine
    finally:
        engine.close()


def _planned(estimator: Any, survey: Survey, regression: bool) -> Recoding:
    """Return the codes of the rows and their weights."""
    plan = replace(plan_of(survey, getattr(estimator, "unseen", "missing")), threads=1)
    for feature in plan.codebook.features:
        if feature.kind == "text":
            raise NotSupportedError(f"Column {feature.name!r} is free text, which is not learned from in passes.")
    if not regression and (plan.classes is None or len(plan.classes) < estimator._min_classes):
        only = "" if plan.classes is None else repr(plan.classes[0])
        raise InputError(
            f"The number of classes has to be greater than one: every row is {only}, so there is nothing to tell apart."
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


def _total_weight(survey: Survey, plan: Recoding, factors: np.ndarray) -> float:
    if plan.classes is not None:
        return float((class_totals(survey, plan.classes)[1] * factors).sum())
    return float(survey.n_rows) if survey.total_weight is None else survey.total_weight.value


def _factors(estimator: Any, survey: Survey, plan: Recoding) -> np.ndarray | None:
    given = getattr(estimator, "class_weight", None)
    if given is None or plan.classes is None:
        return None
    _, weight = class_totals(survey, plan.classes)
    if isinstance(given, str):
        # As scikit-learn balances: every class has the same weight in all.
        factors = weight.sum() / (len(weight) * weight)
    else:
        factors = compute_class_weight(given, classes=plan.classes, y=plan.classes)
    if not (np.isfinite(factors).all() and (factors > 0).all()):
        raise InputError("class_weight needs a number above 0 for each class when rows are learned from in passes.")
    return None if (factors == 1).all() else np.asarray(factors, dtype=np.float64)


def _described(engine: Engine, facts: Facts) -> tuple[dict[str, Any], Facts]:
    """Return what the model file says of the training rows, and the facts with the spreads of the columns."""
    n, features = facts.n_rows, facts.codebook.features
    p = len(facts.low)
    printed, shared = rows_to_describe(n, len(features))
    spread = spread_rows(n, p)
    wanted = np.union1d(np.union1d(printed, shared), spread)
    rows: Rows = engine.answer(rows_pass(wanted)).joined(1)

    def at(index: np.ndarray) -> Rows:
        return rows.take(np.searchsorted(rows.index, index))

    codebook = replace(facts.codebook, spreads=spreads_of(at(spread).matrix.numeric) if p else ())
    sample = at(printed)
    described = describe_rows(n, (sample.matrix, sample.y), at(shared).matrix, facts.low, facts.high)
    return described, replace(facts, codebook=codebook)


def _set_up(estimator: Any, facts: Facts) -> None:
    """Set the attributes that every fitted estimator has."""
    names = facts.codebook.names
    estimator.n_features_in_ = len(names)
    estimator.feature_names_in_ = np.array(names, dtype=object)
    if facts.classes is not None:
        estimator.classes_ = facts.classes


def _training(estimator: Any, described: dict[str, Any], survey: Survey) -> str:
    """Return what tells this training from others: rows that were changed since are noticed by what they sum up to."""
    said = {"learner": estimator._learner_id, "params": plain_params(estimator), "rows": described}
    said["seen"] = survey.in_short()
    return json.dumps({**said, "version": __version__}, sort_keys=True, default=str)
