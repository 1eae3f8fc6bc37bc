"""Encoded rows: numbers in one block, category codes in another; the exact ranks of the numbers; and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio import _core
from vaglio.encode._feature import Feature, ordered_columns, spelling, spread_rows
from vaglio.encode._text import count_words
from vaglio.table import Column, Table

# The largest uint32: missing values sort behind all others.
MISSING_RANK = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Ranks:
    """The rank of every value within its column, and a row that has the value of each rank.

    Trees and rules use only the order of the numbers.

    Attributes
    ----------
    numeric : ndarray of float64, shape (n, p)
        The ranked block itself.
    ranks : ndarray of uint32, shape (n, p), Fortran order
        ``values[j][ranks[i, j]]`` is the value of row i in column j; ``MISSING_RANK`` marks a missing one.
    firsts : list of ndarray of uint32
        Per column the first row of each rank. Trees look up the few values they need in these rows, which takes half
        the memory of storing the values.
    """

    numeric: np.ndarray
    ranks: np.ndarray
    firsts: list[np.ndarray]

    @cached_property
    def values(self) -> list[np.ndarray]:
        """The distinct values of each column, ascending."""
        return [self.numeric[rows, j] + 0.0 for j, rows in enumerate(self.firsts)]


@dataclass(frozen=True)
class Ranges:
    """What one pass over a block of numbers shows.

    Attributes
    ----------
    low, high : ndarray of float64, shape (p,)
        The least and the largest number of each column, NaN without any; no negative zero.
    missing : bool
        Whether a number is missing.
    bounded : bool
        Whether no number is infinite.
    """

    low: np.ndarray
    high: np.ndarray
    missing: bool
    bounded: bool

    @classmethod
    def of(cls, numeric: np.ndarray, threads: int) -> Ranges:
        """Look at a block of numbers, in either memory order."""
        return cls(*_core.column_ranges(numeric, threads))


class EncodedMatrix:
    """Rows in the form that the kernels read.

    Parameters
    ----------
    features : sequence of Feature
        In the user's column order.
    numeric : ndarray of float64 or float32, shape (n, p)
        Numeric and ordinal features, in feature order; NaN is missing. Either memory order. Single precision is widened
        when ``numeric`` is first asked for.
    codes : ndarray of int32, shape (n, q)
        Nominal features, in feature order; -1 is missing or unseen.
    text : dict of int to ndarray of object, optional
        The strings of each text feature, by feature index.
    sparse : scipy.sparse.csr_array, optional
        The whole matrix when the input was sparse; then every feature is numeric and ``numeric`` has no columns.

    Attributes
    ----------
    threads : int
        How many threads a kernel may use on these rows; set by the estimator.
    reused : bool
        Whether several trees are grown on these very rows; set by an ensemble.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        numeric: np.ndarray,
        codes: np.ndarray,
        text: dict[int, np.ndarray] | None = None,
        sparse: sp.csr_array | None = None,
    ) -> None:
        self.features = tuple(features)
        self._given = numeric
        self.codes = codes
        self.text = text or {}
        self.sparse = sparse
        self._ranks: Ranks | None = None
        # The ranks of the rows that these were taken from, and which they are.
        self._all_ranks: tuple[Ranks, np.ndarray] | None = None
        self.reused = False
        self.threads = 1

    @classmethod
    def from_arrays(
        cls,
        numeric: np.ndarray | None = None,
        codes: np.ndarray | None = None,
        features: Sequence[Feature] | None = None,
    ) -> EncodedMatrix:
        """Make a matrix of plain arrays: numeric columns first, then nominal ones, named x0, x1, …

        Parameters
        ----------
        numeric : ndarray of float, shape (n, p), optional
        codes : ndarray of int, shape (n, q), optional
        features : sequence of Feature, optional
            Their descriptions; by default made from the arrays.
        """
        n = len(numeric) if numeric is not None else len(codes) if codes is not None else 0
        numeric = np.empty((n, 0)) if numeric is None else np.asarray(numeric, dtype=np.float64)
        codes = np.empty((n, 0), np.int32) if codes is None else np.asarray(codes, dtype=np.int32)
        if features is None:
            p = numeric.shape[1]
            arity = [int(codes[:, j].max(initial=-1)) + 1 for j in range(codes.shape[1])]
            features = [Feature(f"x{j}") for j in range(p)] + [
                Feature(f"x{p + j}", "nominal", tuple(range(k))) for j, k in enumerate(arity)
            ]
        return cls(features, numeric, np.asfortranarray(codes))

    @cached_property
    def numeric(self) -> np.ndarray:
        """The numeric block in double precision."""
        return np.asarray(self._given, dtype=np.float64)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.sparse.shape[0] if self.sparse is not None else self._given.shape[0])

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_features(self) -> int:
        """Number of columns of the user's table."""
        return len(self.features)

    @property
    def _all_numeric(self) -> bool:
        """Whether every feature is a column of the numeric block, as in an array of numbers."""
        return bool(self._given.shape[1] == self.n_features)

    @cached_property
    def numeric_features(self) -> np.ndarray:
        """Feature index of each column of the numeric block."""
        if self.sparse is not None:
            return np.empty(0, dtype=np.int64)
        if self._all_numeric:
            return np.arange(self.n_features)
        return np.flatnonzero([feature.in_numeric_block for feature in self.features])

    @cached_property
    def nominal_features(self) -> np.ndarray:
        """Feature index of each column of the code block."""
        if not self.codes.shape[1]:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero([feature.is_nominal for feature in self.features])

    @cached_property
    def position(self) -> np.ndarray:
        """Column of each feature within its own block (-1 for text)."""
        if self._all_numeric:
            return np.arange(self.n_features)
        position = np.full(self.n_features, -1, dtype=np.int64)
        position[self.numeric_features] = np.arange(self.numeric_features.size)
        position[self.nominal_features] = np.arange(self.nominal_features.size)
        return position

    @cached_property
    def n_categories(self) -> np.ndarray:
        """Number of known categories of each column of the code block."""
        return np.array([len(self.features[j].categories) for j in self.nominal_features], dtype=np.int32)

    @cached_property
    def numeric_rows(self) -> np.ndarray:
        """The numeric block in C order, for a kernel that reads row by row."""
        return np.ascontiguousarray(self.numeric)

    @cached_property
    def given_rows(self) -> np.ndarray:
        """The numeric block in C order and in the precision of the input, for a kernel that reads either."""
        return np.ascontiguousarray(self._given)

    @cached_property
    def numeric_columns(self) -> np.ndarray:
        """The numeric block in Fortran order, for a kernel that reads column by column."""
        return np.asfortranarray(self.numeric)

    @cached_property
    def code_rows(self) -> np.ndarray:
        """The code block in C order."""
        return np.ascontiguousarray(self.codes)

    @cached_property
    def ordered_sample(self) -> np.ndarray:
        """Each column of the numeric block in ascending order, missing values last: at most a thousand rows of it."""
        rows = spread_rows(*self.numeric.shape)
        return ordered_columns(self.numeric if len(rows) == len(self.numeric) else self.numeric[rows])

    @cached_property
    def ranges(self) -> Ranges:
        """The ranges of the numeric block; an estimator that has looked for infinite numbers knows them already."""
        return Ranges.of(self.numeric, self.threads)

    @cached_property
    def missing(self) -> np.ndarray:
        """Which cells are missing, shape (n_rows, n_features)."""
        mask = np.zeros((self.n_rows, self.n_features), dtype=bool)
        mask[:, self.numeric_features] = np.isnan(self.numeric)
        mask[:, self.nominal_features] = self.codes < 0
        for j, strings in self.text.items():
            mask[:, j] = [value is None for value in strings]
        return mask

    @cached_property
    def has_missing(self) -> bool:
        """Whether a number or a category is missing."""
        return bool(self.ranges.missing or (self.codes < 0).any())

    @property
    def incomplete(self) -> tuple[int, ...]:
        """The features that some row lacks, without texts."""
        lacking = np.zeros(self.n_features, dtype=bool)
        if self.ranges.missing:
            lacking[self.numeric_features] = np.isnan(self.numeric).any(axis=0)
        lacking[self.nominal_features] = (self.codes < 0).any(axis=0)
        return tuple(np.flatnonzero(lacking).tolist())

    @cached_property
    def all_finite(self) -> bool:
        """Whether every number of the numeric block, or of the sparse matrix, is neither missing nor infinite."""
        if self.sparse is None:
            return self.ranges.bounded and not self.ranges.missing
        with np.errstate(over="ignore", invalid="ignore"):
            # If the sum is finite, so are its terms; only if it is not are they checked one by one.
            return bool(np.isfinite(self.sparse.data.sum()) or np.isfinite(self.sparse.data).all())

    def ranks(self) -> Ranks:
        """Return the exact ranks of the numeric block, computed at the first call."""
        if self._ranks is None:
            if self._all_ranks is None:
                found = _core.rank_columns(self.numeric, n_threads=self.threads)
            else:
                known, rows = self._all_ranks
                distinct = np.array([len(firsts) for firsts in known.firsts], dtype=np.uint64)
                found = _core.take_ranks(known.ranks, distinct, rows, n_threads=self.threads)
            self._ranks, self._all_ranks = Ranks(self.numeric, *found), None
        return self._ranks

    def word_counts(self, feature: int) -> sp.csr_array:
        """Return the bag of words of a text feature, shape (n_rows, words of its vocabulary)."""
        return count_words(self.text[feature], self.features[feature].categories)

    def without_absence(self) -> EncodedMatrix:
        """Return the matrix with the absence of asymmetric features as a missing value: no test can ask for it."""
        positions = {
            int(self.position[j]): feature.default
            for j, feature in enumerate(self.features)
            if feature.asymmetric and feature.default is not None
        }
        if not positions:
            return self
        codes = self.codes.copy(order="F")
        for column, default in positions.items():
            codes[codes[:, column] == default, column] = -1
        changed = EncodedMatrix(self.features, self._given, codes, self.text, self.sparse)
        changed.threads, changed._ranks = self.threads, self._ranks
        return changed

    def take(self, rows: np.ndarray | slice) -> EncodedMatrix:
        """Return the given rows, by position, mask or slice."""
        taken = EncodedMatrix(
            self.features,
            self._given[rows],
            np.asfortranarray(self.codes[rows]),
            {j: strings[rows] for j, strings in self.text.items()},
            None if self.sparse is None else self.sparse[rows],
        )
        taken.threads = self.threads
        if self._ranks is not None and 4 * taken.n_rows >= self.n_rows:
            taken._all_ranks = self._ranks, np.arange(self.n_rows)[rows]
        return taken

    def take_apart(self, rows: np.ndarray) -> EncodedMatrix:
        """Return copies of the given rows that hold nothing of the others."""
        taken = self.take(rows)
        taken._all_ranks = None
        return taken

    def take_as_laid(self, rows: np.ndarray) -> EncodedMatrix:
        """Return the given rows, with numbers side by side by column or by row, as they are here.

        Sums over a column add in another order in another layout: these rows are to give the model they give alone.
        """
        taken = self.take(rows)
        if self._given.flags.f_contiguous:
            taken._given = np.asfortranarray(taken._given)
        return taken


def select_features(matrix: EncodedMatrix, features: np.ndarray) -> EncodedMatrix:
    """Return the matrix with these features only, given in ascending order."""
    wanted = set(features.tolist())
    numeric = [j for j, feature in enumerate(matrix.numeric_features) if feature in wanted]
    nominal = [j for j, feature in enumerate(matrix.nominal_features) if feature in wanted]
    renumbered = {old: new for new, old in enumerate(features.tolist())}
    selected = EncodedMatrix(
        [matrix.features[j] for j in features],
        matrix.numeric[:, numeric],
        np.asfortranarray(matrix.codes[:, nominal]),
        {renumbered[j]: strings for j, strings in matrix.text.items() if j in wanted},
        None if matrix.sparse is None else matrix.sparse[:, features],
    )
    selected.threads = matrix.threads
    return selected


def decode(matrix: EncodedMatrix, named: bool) -> Any:
    """Return the rows as an array if they are numbers without names, else as a pandas frame with the user's names.

    Parameters
    ----------
    matrix : EncodedMatrix
    named : bool
        Whether the columns had names in training.
    """
    if matrix.sparse is not None:
        return matrix.sparse
    if not named and matrix.numeric.shape[1] == matrix.n_features:
        return matrix.numeric_rows
    return Table(_column(matrix, j) for j in range(matrix.n_features)).to_frame()


def fill_column(column: Column, filled: EncodedMatrix, index: int) -> Column:
    """Return a column whose missing values are those of a feature of a matrix; its own values stay."""
    values = _column(filled, index)
    if column.kind != values.kind or column.kind == "text":
        return values
    if column.kind == "numeric":
        return column.replace(data=np.where(column.missing, values.data, column.data))
    code_of = {spelling(value): code for code, value in enumerate(column.categories)}
    known = [value for value in values.categories if spelling(value) not in code_of]
    categories = (*column.categories, *known)
    code_of |= {spelling(value): len(code_of) + place for place, value in enumerate(known)}
    recode = np.array([*(code_of[spelling(value)] for value in values.categories), -1], dtype=np.int32)
    return column.replace(data=np.where(column.missing, recode[values.data], column.data), categories=categories)


def _column(matrix: EncodedMatrix, index: int) -> Column:
    feature, position = matrix.features[index], matrix.position[index]
    if feature.kind == "text":
        return Column(feature.name, "text", matrix.text[index])
    if feature.kind == "numeric":
        return Column(feature.name, "numeric", matrix.numeric[:, position], level="ratio")
    codes = matrix.codes[:, position] if feature.is_nominal else np.nan_to_num(matrix.numeric[:, position], nan=-1)
    make = partial(Column.nominal, feature.name, codes.astype(np.int32), feature.categories, declared=True)
    return make(level="nominal") if feature.is_nominal else make(level="ordinal")
