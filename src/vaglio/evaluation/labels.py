"""Class labels: checked, encoded, and matched by how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.encode import spelling
from vaglio.errors import InputError, as_own_errors
from vaglio.messages.message import Option
from vaglio.messages.sentences import did_you_mean
from vaglio.model.base import one_per_row
from vaglio.typing import ColumnLike

__all__ = [
    "as_labels",
    "as_numbers",
    "as_weight",
    "class_scores",
    "encode_labels",
    "find_label",
    "label_parts",
    "label_universe",
    "labels_like",
]


def as_labels(y: ColumnLike, name: str = "y") -> np.ndarray:
    """A one-dimensional array of labels, none of them missing."""
    with as_own_errors():  # ragged lists
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(
            "labels-shape", "{name} has the shape {shape}; pass one label per row.", name=name, shape=labels.shape
        )
    missing = labels != labels if labels.dtype.kind == "f" else np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind == "O":
        missing = np.fromiter((v is None or v != v for v in labels), dtype=bool, count=len(labels))
    if missing.any():
        raise InputError(
            "missing-labels",
            "{name} has no label in {sum:,} {sum:row|rows}, the first in row {argmax:,}. Leave those rows out.",
            name=name,
            sum=int(missing.sum()),
            argmax=int(missing.argmax()) + 1,
        )
    return labels


def as_numbers(y: ColumnLike, name: str = "y") -> np.ndarray:
    """Return targets that are numbers as float64, all of them finite.

    >>> as_numbers(["1.5", "2"]).tolist()
    [1.5, 2.0]
    """
    labels = as_labels(y, name)
    try:
        numbers = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "target-words",
            "{name} holds values that are not numbers, such as {value!r}.",
            name=name,
            value=_word(labels),
        ) from None
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0]) + 1
        raise InputError("numbers-not-finite", "{name} is not finite in row {row:,}.", name=name, row=row)
    return numbers


def _word(labels: np.ndarray) -> str:
    """The first value that is not a number."""
    for value in labels.tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            return str(value)
    return ""


def as_weight(sample_weight: ColumnLike | None, n_rows: int) -> np.ndarray | None:
    """Weights as float64, or None when every row counts once."""
    if sample_weight is None:
        return None
    weight = one_per_row("sample_weight", sample_weight, n_rows)
    if not np.isfinite(weight).all() or (weight < 0).any() or weight.sum() <= 0:
        raise InputError("sample-weight-values", "sample_weight must be finite, non-negative and not all zero.")
    return weight


def _distinct(y: np.ndarray) -> list[Any]:
    try:
        return list(np.unique(y).tolist())
    except TypeError:  # labels of several types do not sort: keep the order they come in
        return list(dict.fromkeys(y.tolist()))


def label_universe(*parts: Sequence[Any] | np.ndarray) -> tuple[Any, ...]:
    """Every label of every part: the first part in its own order, then the new ones, sorted if they can be.

    >>> label_universe(["yes", "no"], ["no", "maybe"])
    ('yes', 'no', 'maybe')
    """
    seen: dict[Any, None] = dict.fromkeys(
        np.asarray(parts[0]).tolist() if isinstance(parts[0], np.ndarray) else parts[0]
    )
    for part in parts[1:]:
        seen.update(dict.fromkeys(_distinct(np.asarray(part))))
    return tuple(seen)


def encode_labels(y: np.ndarray, labels: Sequence[Any]) -> np.ndarray:
    """The position of each label in ``labels``."""
    position = {label: i for i, label in enumerate(labels)}
    try:
        distinct, inverse = np.unique(y, return_inverse=True)
        values = distinct.tolist()
    except TypeError:
        values, inverse = y.tolist(), np.arange(len(y))
    unknown = [v for v in values if v not in position]
    if unknown:
        raise InputError(
            "unknown-label", "The label {unknown!r} is not among {labels!r}.", unknown=unknown[0], labels=list(labels)
        )
    codes = np.fromiter((position[v] for v in values), dtype=np.int64, count=len(values))
    return codes[inverse]


def find_label(word: str, labels: Sequence[Any]) -> Any:
    """Return the label that is written like this; the error names a similar one.

    >>> find_label("1", [0, 1])
    1
    """
    written = {spelling(label): label for label in labels}
    if spelling(word) in written:
        return written[spelling(word)]
    raise InputError(
        "unknown-class", "There is no class {label!r}; {hint}", label=word, hint=did_you_mean(word, written)
    )


def labels_like(y: ColumnLike, classes: Sequence[Any]) -> np.ndarray:
    """Return labels of new rows as the classes of a model are written: 1 and "1", True and "true" are the same.

    >>> labels_like(np.array([1, 2]), ["1", "2"]).tolist()
    ['1', '2']
    """
    labels = as_labels(y)
    known = {spelling(label): label for label in classes}
    if not len(labels) or set(_distinct(labels)) <= set(classes):
        return labels
    out = np.empty(len(labels), dtype=object)
    out[:] = [known.get(spelling(label), label) for label in labels.tolist()]
    if len({type(label) for label in out}) == 1:
        return np.array(out.tolist())
    return out


def label_parts(labels: ColumnLike | None, truth: np.ndarray, predicted: np.ndarray | None) -> list[Any]:
    """Where the classes come from: those that are named, or all that occur."""
    seen = [truth] if predicted is None else [truth, predicted]
    if labels is not None:
        return [as_labels(labels, "labels").tolist(), *seen]
    # Sorted over true and predicted classes together, as scikit-learn orders them.
    try:
        return [sorted({*truth.tolist(), *(() if predicted is None else predicted.tolist())})]
    except TypeError:
        return [[], *seen]


def class_scores(
    y_score: ColumnLike, universe: tuple[Any, ...], labels: ColumnLike | None, pos_label: object
) -> np.ndarray:
    """Scores with a column for each class of the universe."""
    with as_own_errors():
        score = np.asarray(y_score, dtype=np.float64)
    if score.ndim not in (1, 2):
        raise InputError(
            "score-columns",
            "y_score has the shape {shape}; pass one score per row, or one column per class.",
            shape=score.shape,
        )
    if not np.isfinite(score).all():
        raise InputError("scores-not-finite", "Some scores are NaN or infinite.")
    if score.ndim == 1:
        if len(universe) != 2:
            raise InputError(
                "too-few-scores",
                "One score per row is not enough for {n_universe:,} classes; pass one column per class.",
                n_universe=len(universe),
            )
        inside = score.size and score.min() >= 0 and score.max() <= 1
        pair = [1 - score if inside else -score, score]
        first = pos_label is not None and universe[0] == pos_label
        return np.column_stack(pair[::-1] if first else pair)
    known = len(universe) if labels is None else len(as_labels(labels, "labels"))
    if score.shape[1] != known:
        raise InputError(
            "scores-without-labels",
            "y_score has {shape:,} {shape:column|columns} for {known:,} {known:class|classes}; name the classes in "
            "{option}.",
            shape=score.shape[1],
            known=known,
            option=Option("labels"),
        )
    # Classes that the model was not trained on: probability 0, or a score below all others.
    fill = 0.0 if (score >= 0).all() else score.min() - 1.0
    extra = np.full((len(score), len(universe) - known), fill)
    return np.hstack([score, extra])
