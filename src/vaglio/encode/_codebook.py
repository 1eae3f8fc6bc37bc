"""The codebook: the columns of the training rows and the code of every category, to encode later rows the same way."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse as sp

from vaglio.encode._feature import Feature, Spread, learn_spreads, spelling
from vaglio.encode._matrix import EncodedMatrix
from vaglio.encode._text import learn_vocabulary
from vaglio.errors import ColumnError, InputError, ModelFileError
from vaglio.table import Column, Table, as_date
from vaglio.text.sentences import listed

Unseen = Literal["missing", "error"]

# The first rows usually have every category; all rows are searched only if they have not.
_HEAD = 10_000


@dataclass(frozen=True)
class Codebook:
    """The columns a model was trained on, and the code of every category.

    Parameters
    ----------
    features : tuple of Feature
        In training order.
    named : bool
        Whether the training data had column names. If so, later tables are aligned by name and may have extra
        columns; otherwise columns are taken by position.
    unseen : {"missing", "error"}
        What becomes of a category that no training row has: a missing value, or an error.
    sparse : bool
        Whether the training data was a sparse matrix.
    spreads : tuple of Spread
        Quantiles and scale of each numeric column in training, in the order of the numeric block; empty if unknown.
    """

    features: tuple[Feature, ...]
    named: bool = True
    unseen: Unseen = "missing"
    sparse: bool = False
    spreads: tuple[Spread, ...] = ()

    @classmethod
    def learn(cls, X: Any, unseen: Unseen = "missing") -> Codebook:
        """Learn names, kinds and categories from the training rows.

        Parameters
        ----------
        X : table, frame, array or sparse matrix
        unseen : {"missing", "error"}
        """
        if sp.issparse(X):
            return cls(_anonymous(X.shape[1]), named=False, unseen=unseen, sparse=True)
        if _is_numbers(X):
            return cls(_anonymous(X.shape[1]), named=False, unseen=unseen)
        table = Table.from_any(X)
        features = tuple(_describe(table.column(name)) for name in table.columns)
        return cls(features, named=_has_names(X), unseen=unseen)

    def having_seen(self, matrix: EncodedMatrix) -> Codebook:
        """Return a copy that also has the spreads of the numeric columns of the training rows."""
        return replace(self, spreads=learn_spreads(matrix))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [feature.name for feature in self.features]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column, for ``like`` of :func:`vaglio.read`; without the categories."""
        return {
            feature.name: "date" if feature.is_date else "nominal" if feature.kind == "ordinal" else feature.kind
            for feature in self.features
        }

    def encode(self, X: Any) -> EncodedMatrix:
        """Encode rows in the same way as the training rows.

        Parameters
        ----------
        X : table, frame, array or sparse matrix
            Columns are found by name if both X and the training rows have names, else by position.
        """
        if sp.issparse(X):
            return self._encode_sparse(X)
        # An array of float64 is used as it is, without a copy.
        if _is_numbers(X) and not any(feature.categories for feature in self.features):
            self._check_width(X.shape[1])
            return EncodedMatrix(self.features, X, np.empty((len(X), 0), np.int32, order="F"))
        return self._encode_table(Table.from_any(X), by_name=self.named and _has_names(X))

    def strangers(self, X: Any) -> dict[tuple[int, int], Any]:
        """Return the categories of X that no training row has: (row, feature) -> value."""
        if sp.issparse(X) or not any(feature.is_nominal for feature in self.features):
            return {}
        table = Table.from_any(X)
        found: dict[tuple[int, int], Any] = {}
        for j, column in enumerate(self._align(table, by_name=self.named and _has_names(X))):
            if self.features[j].is_nominal and column.kind == "nominal":
                known = np.array([spelling(value) in self.features[j].code_of for value in column.categories] + [True])
                rows = np.flatnonzero(~known[column.data])
                found |= {(row, j): column.categories[column.data[row]] for row in rows.tolist()}
        return found

    def _encode_sparse(self, X: Any) -> EncodedMatrix:
        self._check_width(X.shape[1])
        if not self.sparse:
            return self.encode(np.asarray(X.todense(), dtype=np.float64))
        n = X.shape[0]
        empty = np.empty((n, 0)), np.empty((n, 0), np.int32, order="F")
        return EncodedMatrix(self.features, *empty, sparse=sp.csr_array(X))

    def _encode_table(self, table: Table, by_name: bool) -> EncodedMatrix:
        columns = self._align(table, by_name)
        numeric = [
            _numbers(column, feature) for column, feature in zip(columns, self.features) if feature.in_numeric_block
        ]
        codes = [
            _codes(column, feature, self.unseen)
            for column, feature in zip(columns, self.features)
            if feature.is_nominal
        ]
        text = {
            j: _strings(column)
            for j, (column, feature) in enumerate(zip(columns, self.features))
            if feature.kind == "text"
        }
        matrix = EncodedMatrix(
            self.features,
            _stack(numeric, len(table), np.float64),
            _stack(codes, len(table), np.int32),
            text,
        )
        if self.sparse:
            matrix = self._encode_sparse(sp.csr_array(matrix.numeric))
        return matrix

    def _align(self, table: Table, by_name: bool) -> list[Column]:
        if not by_name:
            self._check_width(len(table.columns))
            return [table.column(name) for name in table.columns]
        present = set(table.columns)
        absent = [name for name in self.names if name not in present]
        if absent:
            raise ColumnError(
                f"The table lacks {listed(absent, quoted=True)}, which the model was trained on; "
                f"it has {listed(table.columns, quoted=True)}. "
                "Add what is missing (an empty column counts as missing values), or train without it."
            )
        return [table.column(name) for name in self.names]

    def _check_width(self, width: int) -> None:
        if width != len(self.features):
            raise InputError(
                f"X has {width} columns, but the model was trained on {len(self.features)}: give it the same columns "
                "in the same order."
            )

    def to_state(self) -> dict[str, Any]:
        """Return JSON for the model file."""
        return {
            "features": [feature.to_state() for feature in self.features],
            "named": self.named,
            "unseen": self.unseen,
            "sparse": self.sparse,
            "spreads": [spread.to_state() for spread in self.spreads],
        }

    @classmethod
    def from_state(cls, state: Any) -> Codebook:
        """Rebuild from a model file, trusting nothing in it."""
        if not isinstance(state, dict) or not isinstance(state.get("features"), list):
            raise ModelFileError("The model file has no valid description of its columns.")
        features = tuple(Feature.from_state(feature) for feature in state["features"])
        if len({feature.name for feature in features}) != len(features):
            raise ModelFileError("The model file names a column twice.")
        named, unseen, sparse = state.get("named"), state.get("unseen"), state.get("sparse")
        if not isinstance(named, bool) or not isinstance(sparse, bool) or unseen not in ("missing", "error"):
            raise ModelFileError("The model file has no valid description of its columns.")
        spreads = state.get("spreads", [])
        if not isinstance(spreads, list) or len(spreads) not in (0, sum(f.in_numeric_block for f in features)):
            raise ModelFileError("The model file has no valid summary of its numeric columns.")
        return cls(features, named, unseen, sparse, tuple(Spread.from_state(spread) for spread in spreads))


def _is_numbers(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2


def _has_names(X: Any) -> bool:
    """Return whether the columns of X have names: an array or a list of lists has none, a list of dicts has."""
    return not isinstance(X, np.ndarray) and not (isinstance(X, list) and not (X and isinstance(X[0], dict)))


def _anonymous(width: int) -> tuple[Feature, ...]:
    return tuple(Feature(f"x{j}") for j in range(width))


def _describe(column: Column) -> Feature:
    if column.kind == "text":
        return Feature(column.name, "text", learn_vocabulary(column.data))
    if column.kind == "numeric":
        return Feature(column.name, is_date=column.is_date)
    if column.level == "ordinal":
        return Feature(column.name, "ordinal", _distinct(_plain(column.categories)))
    if column.declared:
        return Feature(column.name, "nominal", _distinct(_plain(column.categories)))
    # Only categories of the training rows are known: a table may have categories of rows outside this fold.
    occurs = _occurs(column.data[:_HEAD], len(column.categories))
    if not occurs.all():
        occurs = _occurs(column.data, len(column.categories))
    seen = [value for value, present in zip(_plain(column.categories), occurs) if present]
    return Feature(column.name, "nominal", _distinct(sorted(seen, key=natural_order)))


def _occurs(codes: np.ndarray, size: int) -> np.ndarray:
    """Return for each category whether a row has it."""
    return np.bincount(codes + 1, minlength=size + 1)[1:] > 0


def _plain(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(value.item() if hasattr(value, "item") else value for value in values)


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return one value per category: of values that mean the same, as True and TRUE, the last."""
    return tuple({spelling(value): value for value in values}.values())


def natural_order(value: Any) -> tuple[int, float, str]:
    """Return a key that sorts numbers by size, before all words."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and abs(value) > sys.float_info.max:  # a whole number beyond all floats
        return (0, math.copysign(math.inf, value > 0 or -1), str(value))
    return (0, float(value), "") if is_number else (1, 0.0, str(value))


def _stack(columns: list[np.ndarray], n: int, dtype: Any) -> np.ndarray:
    block = np.empty((n, len(columns)), dtype=dtype, order="F")
    for j, column in enumerate(columns):
        block[:, j] = column
    return block


def _numbers(column: Column, feature: Feature) -> np.ndarray:
    if feature.kind == "ordinal":
        codes = _codes(column, feature, "missing")
        return np.where(codes < 0, np.nan, codes)
    if column.kind == "numeric":
        values = column.data
    else:
        values = as_date(column).data if feature.is_date else _parsed(column)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise InputError(
            f"Column {column.name!r} has an infinite value in row {row}: X may hold missing values (NaN) but no inf; "
            "replace it or leave it empty."
        )
    return values


def _parsed(column: Column) -> np.ndarray:
    """Return the numbers of a column that holds words (a chunk of strings) or booleans."""
    known = column.categories if column.kind == "nominal" else ()
    values = known if column.kind == "nominal" else column.data
    numbers = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            numbers[i] = np.nan if value is None else float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"Column {column.name!r} held numbers in training but now holds {value!r}: correct the value or "
                "leave it empty."
            ) from None
    if column.kind != "nominal":
        return numbers
    parsed: np.ndarray = np.append(numbers, np.nan)[column.data]
    return parsed


def _codes(column: Column, feature: Feature, unseen: Unseen) -> np.ndarray:
    if column.kind == "nominal":
        values: Any = column.categories
        positions = column.data
    else:
        missing = column.missing
        values, positions = np.unique(column.data[~missing], return_inverse=True)
        full = np.full(len(column.data), -1, dtype=np.int64)
        full[~missing] = positions
        positions = full
    codes = np.array([*map(feature.code, values), -1], dtype=np.int32)
    if np.array_equal(codes[:-1], np.arange(len(codes) - 1)):
        return positions.astype(np.int32, copy=False)  # the same codes already, and none unseen
    # The code -1 of a missing value finds the last entry.
    encoded = codes.take(positions, mode="wrap")
    if unseen == "error":
        _refuse_unseen(column, feature, values, positions, encoded)
    return encoded


def _refuse_unseen(
    column: Column, feature: Feature, values: Sequence[Any], positions: np.ndarray, encoded: np.ndarray
) -> None:
    strange = np.flatnonzero((positions >= 0) & (encoded < 0))
    if strange.size:
        row = int(strange[0])
        raise InputError(
            f"Column {column.name!r} has the value {values[positions[row]]!r} in row {row}, which no training row has "
            f"(known: {listed(map(str, feature.categories), quoted=True)}): correct it, or use unseen='missing'."
        )


def _strings(column: Column) -> np.ndarray:
    if column.kind == "text":
        return column.data
    if column.kind == "nominal":
        words: np.ndarray = np.array([*(str(value) for value in column.categories), None], dtype=object)[column.data]
        return words
    return np.array([None if np.isnan(value) else spelling(value) for value in column.data], dtype=object)
