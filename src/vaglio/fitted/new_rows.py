"""New rows: drawn from a model, in the columns and types of the rows it was trained on, or added to those it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from vaglio.encode import Feature, Spread, aligned_labels
from vaglio.engines.sources import refuse_out_of_core
from vaglio.errors import InputError, NotSupportedError, as_own_errors
from vaglio.messages.sentences import listed
from vaglio.model.base import one_per_row
from vaglio.runtime.seeds import generator_of
from vaglio.table import Column, Table, as_whole
from vaglio.typing import ColumnLike, RandomState, TableLike

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted


def add_rows(fitted: Fitted, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> Fitted:
    """Return a model that holds more training rows; those of weight 0 are left out."""
    model: Any = fitted.model
    if not callable(getattr(model, "adding", None)):
        raise NotSupportedError(
            "learner-holds-no-rows",
            "The learner {learner!r} holds no training rows, so none can be added. Train it again on all rows.",
            learner=fitted.learner,
        )
    if fitted.calibration is not None:
        raise NotSupportedError(
            "calibrated-holds-rows",
            "The probabilities of this model are calibrated to the rows it holds, so none can be added. Train it "
            "again on all rows, or without calibrate.",
        )
    refuse_out_of_core(X, "Adding rows")
    codebook = fitted.codebook.extended(X)
    matrix, known = codebook.encode(X), fitted.classes
    target = one_per_row("y", y, matrix.n_rows, np.float64 if known is None else None)
    classes = known
    if known is not None:
        labels = aligned_labels(y, known)
        with as_own_errors():  # text among numbers
            classes = np.union1d(known, labels)
        model = replace(model, target=np.searchsorted(classes, known)[model.target], n_classes=len(classes))
        target = np.searchsorted(classes, labels)
    weight = None if sample_weight is None else one_per_row("sample_weight", sample_weight, matrix.n_rows)
    if not np.isfinite(target).all() or (weight is not None and not (np.isfinite(weight) & (weight >= 0)).all()):
        raise InputError(
            "added-rows-not-finite",
            "Numbers to predict must be finite, and weights finite and not negative.",
        )
    model = model.adding(matrix, target, weight, 0 if classes is None else len(classes))
    return replace(fitted, codebook=codebook, model=model, classes=classes)


def draw_rows(fitted: Fitted, n: int, label: object, random_state: RandomState, schema: Table | None = None) -> Any:
    """Return a frame of ``n`` rows; a schema says more of the training columns than the codebook does."""
    model: Any = fitted.model
    if fitted.classes is None or not callable(getattr(model, "draw", None)):
        raise NotSupportedError(
            "learner-not-generative",
            "The learner {learner!r} does not model the distribution of the rows, so it cannot draw new ones. The "
            "Bayes classifiers can.",
            learner=fitted.learner,
        )
    if n < 0:
        raise InputError("negative-number-of-rows", "The number of rows to draw must not be negative; n is {n}.", n=n)
    rng = np.random.default_rng(generator_of(random_state).randint(np.iinfo(np.int32).max))
    labels = _labels_to_draw(n, label, fitted.classes, model.prior, rng)
    features = fitted.codebook.features
    columns: dict[int, np.ndarray] = model.draw(labels, rng)
    known = {name: schema.column(name) for name in schema.columns} if schema is not None else {}
    block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    spreads = dict(zip(block, fitted.codebook.spreads))
    decoded = [
        _decode(columns.get(j), feature, n, known.get(feature.name), spreads.get(j))
        for j, feature in enumerate(features)
    ]
    return Table(decoded, origin=schema.origin if schema is not None else "").to_frame()


def empty_rows(X: TableLike) -> Table | None:
    """Return the columns of a training frame without its rows, or None for an array.

    It remembers what the encoding forgets: widths of numbers, the library the frame came from.
    """
    if isinstance(X, np.ndarray):  # known at once, where to ask whether it is a frame takes longer
        return None
    if isinstance(X, Table):
        without_rows: Table = X[:0]
        return without_rows
    if nw.dependencies.is_into_dataframe(X):
        return Table.from_any(nw.from_native(X, eager_only=True).head(0).to_native())
    return None


def _labels_to_draw(
    n: int, label: object, classes: np.ndarray, prior: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    if label is None:
        return rng.choice(len(classes), size=n, p=prior)
    found = np.flatnonzero(classes == label)
    if not found.size:
        known = listed(classes.tolist(), quoted=True)
        raise InputError(
            "unknown-class-to-draw",
            "There is no class {label!r} to draw from. The classes are {known}.",
            label=label,
            known=known,
        )
    return np.full(n, found[0], dtype=np.int64)


def _decode(values: np.ndarray | None, feature: Feature, n: int, like: Column | None, spread: Spread | None) -> Column:
    if feature.kind == "text":
        documents = [None] * n if values is None else [" ".join(str(feature.categories[c]) for c in d) for d in values]
        return Column.text(feature.name, documents)
    if feature.kind == "numeric":
        numbers = np.full(n, np.nan) if values is None else np.asarray(values, dtype=np.float64)
        return _numbers(numbers, feature, like, spread)
    codes = np.full(n, -1) if values is None else np.nan_to_num(values, nan=-1).astype(np.int32)
    level = "ordinal" if feature.kind == "ordinal" else "nominal"
    declared, storage = (like.declared, like.storage) if like is not None else (level == "ordinal", None)
    return Column.nominal(feature.name, codes, feature.categories, level=level, declared=declared, storage=storage)


def _numbers(numbers: np.ndarray, feature: Feature, like: Column | None, spread: Spread | None) -> Column:
    typed = like is not None and like.storage is not None
    whole = typed and str(like.storage).startswith(("int", "uint"))  # type: ignore[union-attr]
    if whole or (spread is not None and spread.decimals == 0):
        numbers = np.rint(numbers)
    if like is not None and like.kind == "numeric":
        return like.replace(data=numbers)
    if feature.is_date:
        return Column.numeric(feature.name, numbers, level="interval", is_date=True)
    column = Column.numeric(feature.name, numbers)
    return as_whole(column) if spread is not None and spread.decimals == 0 else column
