"""The start of every trace: a fitted estimator, its training rows, and optionally a row to classify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import clone, is_classifier

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import ColumnError, InputError, NotSupportedError
from vaglio.learners.inputs import check_labels
from vaglio.learners.provenance import describe_training
from vaglio.messages.numbers import short_number
from vaglio.table import as_frame

# Words that mean a missing value in a row given by hand, as in --row "sunny,?,high".
_MISSING = ("", "?", "NA")


@dataclass(frozen=True)
class Training:
    """A fitted estimator with the rows it was trained on.

    Attributes
    ----------
    estimator : fitted classifier
    matrix : EncodedMatrix
    y : int64 (n,)
        Class codes.
    weight : float64 (n,)
    row : EncodedMatrix or None
        The row to classify.
    source, labels : object
        X and y as they were given, for fitting variants.
    most_steps : int
        The largest number of nodes, updates or rounds that are shown.
    """

    estimator: Any
    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray
    row: EncodedMatrix | None
    source: Any
    labels: Any
    most_steps: int

    @property
    def features(self) -> tuple[Feature, ...]:
        return self.matrix.features

    @property
    def classes(self) -> list[str]:
        return [str(label) for label in self.estimator.classes_]

    @property
    def model(self) -> Any:
        return self.estimator.fitted_.model

    def class_weights(self, rows: np.ndarray | None = None, weight: np.ndarray | None = None) -> np.ndarray:
        """Weight of each class, in some rows or in all."""
        w = self.weight if weight is None else weight
        y = self.y if rows is None else self.y[rows]
        return np.bincount(y, w if rows is None else w[rows], minlength=len(self.classes)).astype(float)

    def take(self, rows: np.ndarray) -> Training:
        """The same training on some of the rows."""
        return replace(self, matrix=self.matrix.take(rows), y=self.y[rows], weight=self.weight[rows])

    def value(self, feature: int, row: int, matrix: EncodedMatrix | None = None) -> str:
        """The value of a column in a row, as the table writes it."""
        matrix = self.matrix if matrix is None else matrix
        return value_text(matrix, feature, row)


def value_text(matrix: EncodedMatrix, feature: int, row: int) -> str:
    """The value of a column in a row, as the table writes it; ? if it is missing."""
    known, position = matrix.features[feature], matrix.position[feature]
    if known.kind == "text":
        return "?" if matrix.text[feature][row] is None else f"“{matrix.text[feature][row]}”"
    if known.is_nominal:
        code = int(matrix.codes[row, position])
        return "?" if code < 0 else str(known.categories[code])
    number = float(matrix.numeric[row, position])
    if np.isnan(number):
        return "?"
    return str(known.categories[int(number)]) if known.kind == "ordinal" else short_number(number)


def prepare(
    estimator: Any, X: Any, y: Any, row: Any, max_rows: int, most_steps: int, with_text: bool = False
) -> Training:
    """Fit the estimator if needed, encode the rows, and refuse a table that is too large to be read."""
    if not is_classifier(estimator):
        raise NotSupportedError("A trace shows how classes are learned, not numbers: give a classifier.")
    n = len(y)
    if n > max_rows:
        raise InputError(
            f"A trace is for a table that can be worked through by hand; this one has {n} rows, more than "
            f"{max_rows}: take fewer rows, or raise max_rows."
        )
    if not hasattr(estimator, "fitted_"):
        estimator = clone(estimator)
        if "random_state" in estimator.get_params() and estimator.random_state is None:
            estimator.set_params(random_state=0)
        estimator.fit(X, y)
    matrix = estimator._encode(X)
    if matrix.sparse is not None or (matrix.text and not with_text):
        raise NotSupportedError("A trace shows numbers and categories: leave out sparse and text columns.")
    _, codes = check_labels(y, estimator)
    codes = codes.astype(np.int64)
    _check_same_rows(estimator, matrix, codes)
    weight = estimator._with_class_weight(codes, None)
    weight = weight if weight is None or not weight.all() else estimator._scaled(weight)
    encoded = (
        None if row is None else estimator.fitted_.codebook.encode(row_frame(row, estimator.fitted_.codebook.columns))
    )
    weights = np.ones(n) if weight is None else weight
    return Training(estimator, matrix, codes, weights, encoded, X, y, most_steps)


def _check_same_rows(estimator: Any, matrix: EncodedMatrix, codes: np.ndarray) -> None:
    known = estimator.fitted_.provenance.get("training", {}).get("fingerprint")
    if known is not None and known != describe_training(matrix, codes)["fingerprint"]:
        raise InputError(
            "The estimator was fitted to other rows: give its training rows, or an estimator that is not fitted."
        )


def row_frame(row: Any, features: tuple[Feature, ...]) -> Any:
    """Return one row as a frame, from a mapping, a sequence in the order of the columns, or a frame of one row."""
    names = [feature.name for feature in features]
    if hasattr(row, "to_frame") and hasattr(row, "columns"):  # a Table
        row = row.to_frame()
    if nw.dependencies.is_into_dataframe(row):
        rows = nw.from_native(row, eager_only=True).rows(named=True)
        if len(rows) != 1:
            raise InputError(f"A trace classifies one row; {len(rows)} were given.")
        row = rows[0]
    if isinstance(row, Mapping):
        absent = [name for name in names if name not in row]
        if absent:
            raise ColumnError(f"The row lacks the column {absent[0]!r}.")
        values: Sequence[Any] = [row[name] for name in names]
    else:
        values = list(row)
    if len(values) != len(names):
        raise InputError(f"The row has {len(values)} values for {len(names)} columns: {', '.join(names)}.")
    return as_frame({feature.name: [_value(value, feature)] for feature, value in zip(features, values)})


def _value(value: Any, feature: Feature) -> Any:
    if value is None or (isinstance(value, str) and value.strip() in _MISSING):
        return np.nan if feature.kind == "numeric" else None
    if feature.kind != "numeric":
        return str(value).strip() if isinstance(value, str) else value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"The row has {value!r} in the column {feature.name!r}, which holds numbers.") from None
