"""A fitted learner with its training rows, as the functions that write a trace get them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import ColumnError, InputError
from vaglio.messages.figures import moment
from vaglio.messages.message import Listing
from vaglio.table import as_frame

__all__ = ["Training", "row_frame", "value_text"]

# Words that mean a missing value in a row given by hand, as in --row "sunny,?,high".
_MISSING = ("", "?", "NA")


@dataclass(frozen=True)
class Training:
    """A fitted estimator with the rows it was trained on.

    Attributes
    ----------
    estimator : fitted classifier or regressor
    matrix : EncodedMatrix
    y : int64 (n,) or float64 (n,)
        Class codes, or numbers.
    weight : float64 (n,)
    row : EncodedMatrix or None
        The row to classify.
    source, labels : object
        X and y as they were given, for fitting variants.
    most_steps : int
        The largest number of nodes, updates or rounds that are shown.
    all_measures : bool
        Show every measure of impurity of a tree, not only the one that its learner uses.
    taken : int64 or None
        The rows of the table that these are, from 0; None for all of them.
    """

    estimator: Any
    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray
    row: EncodedMatrix | None
    source: Any
    labels: Any
    most_steps: int
    all_measures: bool = False
    taken: np.ndarray | None = None

    @property
    def row_numbers(self) -> np.ndarray:
        """The number of each row in the table that was given, from 0."""
        return np.arange(len(self.y)) if self.taken is None else self.taken

    @property
    def features(self) -> tuple[Feature, ...]:
        return self.matrix.features

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return self.y.dtype.kind == "f"

    @property
    def classes(self) -> list[str]:
        """The names of the classes; none of numbers."""
        return [] if self.is_numeric else [str(label) for label in self.estimator.classes_]

    def target_text(self, say: Notation, row: int) -> str:
        """Return the class or the number of a row."""
        return say.short(float(self.y[row])) if self.is_numeric else self.classes[self.y[row]]

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
        part = {"matrix": self.matrix.take(rows), "y": self.y[rows], "weight": self.weight[rows]}
        return replace(self, **part, taken=self.row_numbers[rows])

    def value(self, say: Notation, feature: int, row: int, matrix: EncodedMatrix | None = None) -> str:
        """Return the value of a column in a row."""
        matrix = self.matrix if matrix is None else matrix
        return value_text(say, matrix, feature, row)


def value_text(say: Notation, matrix: EncodedMatrix, feature: int, row: int) -> str:
    """Return the value of a column in a row; ? if it is missing."""
    known, position = matrix.features[feature], matrix.position[feature]
    if known.kind == "text":
        return "?" if matrix.text[feature][row] is None else f"“{matrix.text[feature][row]}”"
    if known.is_nominal:
        code = int(matrix.codes[row, position])
        return "?" if code < 0 else str(known.categories[code])
    number = float(matrix.numeric[row, position])
    if np.isnan(number):
        return "?"
    return str(known.categories[int(number)]) if known.kind == "ordinal" else number_text(say, known, number)


def number_text(say: Notation, feature: Feature, value: float) -> str:
    """Return a number of a column: a value, or what values are compared with; of dates a date."""
    return moment(value) if feature.is_date else say.short(value)


def say_days(page: Page, features: Sequence[Feature], values: Sequence[float]) -> None:
    """Say which numbers the dates of a row are in the calculations that follow."""
    for feature, value in zip(features, values):
        if feature.is_date:
            page.text(
                page.say(
                    "Calculations use days since 1970-01-01: {column} = {date} counts as {days}.",
                    column=feature.name,
                    date=moment(value),
                    days=page.say.short(value),
                )
            )


def row_frame(row: Any, features: tuple[Feature, ...]) -> Any:
    """Return one row as a frame, from a mapping, a sequence in the order of the columns, or a frame of one row."""
    names = [feature.name for feature in features]
    if hasattr(row, "to_frame") and hasattr(row, "columns"):  # a Table
        row = row.to_frame()
    if nw.dependencies.is_into_dataframe(row):
        rows = nw.from_native(row, eager_only=True).rows(named=True)
        if len(rows) != 1:
            raise InputError("one-row-expected", "A trace classifies one row; got {n:,}.", n=len(rows))
        row = rows[0]
    if isinstance(row, Mapping):
        absent = [name for name in names if name not in row]
        if absent:
            raise ColumnError("row-missing-column", "The row has no column {column!r}.", column=absent[0])
        values: Sequence[Any] = [row[name] for name in names]
    elif isinstance(row, Iterable) and not isinstance(row, (str, bytes)) and getattr(row, "ndim", 1) == 1:
        values = list(row)
    else:
        raise InputError(
            "row-form", "A row is a dict, a list of values or a table of one row, not {type}.", type=type(row).__name__
        )
    if len(values) != len(names):
        raise InputError(
            "row-length",
            "The row has {n_values:,} {n_values:value|values} for {n_columns:,} {n_columns:column|columns}: {columns}.",
            n_values=len(values),
            n_columns=len(names),
            columns=Listing(names),
        )
    return as_frame({feature.name: [_value(value, feature)] for feature, value in zip(features, values)})


def _value(value: Any, feature: Feature) -> Any:
    if value is None or (isinstance(value, str) and value.strip() in _MISSING):
        return np.nan if feature.kind == "numeric" else None
    if feature.is_date:  # the codebook reads it as it was written in training
        return value
    if feature.kind != "numeric":
        return str(value).strip() if isinstance(value, str) else value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            "row-not-number",
            "The row has {value!r} in column {column!r}; expected a number.",
            value=value,
            column=feature.name,
        ) from None
