"""The codebook: the columns of the training rows and the code of every category, to encode later rows the same way."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse as sp

from vaglio.encode._encode_column import (
    Lost,
    Unseen,
    codes_of,
    describe,
    looked_up,
    numbers_of,
    warn_of,
    with_categories,
)
from vaglio.encode._feature import Feature, Spread, spread_rows, spreads_of
from vaglio.encode._matrix import EncodedMatrix, fill_column
from vaglio.encode._text import choose_words, strings_of, word_codes
from vaglio.errors import ColumnError, InputError, damaged_model_file
from vaglio.messages.message import text
from vaglio.messages.options import renaming
from vaglio.messages.sentences import listed
from vaglio.runtime.computed import Later, computed_fields
from vaglio.table import CellFormat, Column, Table, likeliest, matching_columns, note_matches
from vaglio.typing import TableLike

# The spread of a column of which nothing is known but that it had values.
_SOME = Spread((0.0,))


@computed_fields("spreads")
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
    incomplete : tuple of int
        The features that some training row lacks; empty if unknown.
    whole : bool
        Whether the categories are those of the training rows: rules that a person wrote name only some of them, so
        that other values are no surprise.
    """

    features: tuple[Feature, ...]
    named: bool = True
    unseen: Unseen = "missing"
    sparse: bool = False
    spreads: tuple[Spread, ...] = ()
    whole: bool = True
    incomplete: tuple[int, ...] = ()

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
        features = tuple(describe(table.column(name)) for name in table.columns)
        return cls(features, named=_has_names(X), unseen=unseen)

    @classmethod
    def of_rows(cls, X: TableLike, unseen: Unseen = "missing") -> tuple[Codebook, EncodedMatrix]:
        """Learn from the training rows, and encode them; a frame is converted once for both.

        Parameters
        ----------
        X : table, frame, array or sparse matrix
        unseen : {"missing", "error"}
        """
        rows = Table.from_any(X) if _has_names(X) and not sp.issparse(X) else X
        codebook = cls.learn(rows, unseen)
        return codebook, codebook.encode(rows)

    def having_seen(self, matrix: EncodedMatrix) -> Codebook:
        """Return a copy that also has the spreads of the numeric columns of the training rows, and what these lack."""
        rows = spread_rows(*matrix.numeric.shape)
        if matrix.sparse is not None or not matrix.numeric.shape[1] or not len(rows):
            return replace(self, spreads=(), incomplete=matrix.incomplete)
        sample = matrix.numeric[rows]
        later: Any = Later(lambda: spreads_of(sample))
        return replace(self, spreads=later, incomplete=matrix.incomplete)

    # Computed fields are no functions in a file.
    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def with_words(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> tuple[Codebook, EncodedMatrix]:
        """Return a copy in which the words that tell most about y stand for each text column, and the rows by it.

        A learner that tests one column at a time, or measures distances, learns from text in this way.
        """
        features: list[Feature] = []
        for j, feature in enumerate(self.features):
            words = choose_words(matrix.word_counts(j), y, weight) if j in matrix.text else None
            known = (
                [feature] if words is None else [Feature.of_word(feature.name, feature.categories[w]) for w in words]
            )
            features += [each for each in known if each.word is None or each.name not in self.names]
        if not features:
            raise InputError(
                "column-without-words",
                "Column {column!r} holds no words. There is nothing to learn from.",
                column=self.names[0],
            )
        strings = {self.features[j].name: texts for j, texts in matrix.text.items()}
        found = word_codes(strings, features)
        place = dict(zip(matrix.nominal_features.tolist(), matrix.codes.T))
        found |= {self.features[j].name: codes for j, codes in place.items()}
        codes = [found[feature.name] for feature in features if feature.is_nominal]
        read = EncodedMatrix(features, matrix.numeric, _stack(codes, matrix.n_rows, np.int32))
        read.threads = matrix.threads
        return replace(self, features=tuple(features)), read

    @cached_property
    def columns(self) -> tuple[Feature, ...]:
        """The columns of the table: a text of which the model knows single words is one."""
        columns = {f.column: f if f.word is None else Feature(f.column, "text") for f in self.features}
        return tuple(columns.values())

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [feature.name for feature in self.columns]

    @property
    def cell_formats(self) -> dict[str, CellFormat]:
        """How the cells of each column are read, for ``like`` of :func:`vaglio.read`."""
        formats = {feature.name: feature.reading for feature in self.columns}
        block = [feature.name for feature in self.features if feature.in_numeric_block]
        for name, spread in zip(block, self.spreads):
            known = formats[name]
            # Nobody knows what a column holds that had no value in training: its words count as missing.
            lenient = known.lenient or not spread.values
            # Decimals that needed no rule to be read had a point.
            point = bool(spread.values) and spread.decimals != 0 and known.what == "number" and known.kind == "numeric"
            formats[name] = replace(known, lenient=lenient, written="." if point else "")
        return formats

    def encode(self, X: Any) -> EncodedMatrix:
        """Encode rows in the same way as the training rows.

        Parameters
        ----------
        X : table, frame, array or sparse matrix
            Columns are found by name if both X and the training rows have names, else by position.
        """
        if sp.issparse(X):
            return self._encode_sparse(X)
        # An array of float64 or float32 is used as it is, without a copy.
        if (_is_numbers(X) or _is_single(X)) and all(feature.kind == "numeric" for feature in self.features):
            self._check_width(X.shape[1])
            return EncodedMatrix(self.features, X, np.empty((len(X), 0), np.int32, order="F"))
        return self._encode_table(Table.from_any(X), by_name=self.named and _has_names(X))

    def unseen_values(self, X: TableLike) -> dict[tuple[int, int], Any]:
        """Return the categories of X that no training row has: (row, feature) -> value."""
        if sp.issparse(X) or not any(feature.is_nominal for feature in self.features):
            return {}
        table = Table.from_any(X)
        found: dict[tuple[int, int], Any] = {}
        columns = dict(zip(self.names, self._align(table, by_name=self.named and _has_names(X))))
        for j, feature in enumerate(self.features):
            column = columns[feature.column]
            if feature.is_nominal and feature.word is None and column.kind != "text":
                values, positions, codes = looked_up(column, feature)
                rows = np.flatnonzero((positions >= 0) & (codes.take(positions, mode="wrap") < 0))
                found |= {(row, j): values[positions[row]] for row in rows.tolist()}
        return found

    def extended(self, X: TableLike) -> Codebook:
        """Return a copy that also knows the categories of these rows, after those it knows, whose codes stay.

        Parameters
        ----------
        X : table, frame, array or sparse matrix
        """
        if sp.issparse(X) or not any(feature.categories for feature in self.features):
            return self
        columns = self._align(Table.from_any(X), by_name=self.named and _has_names(X))
        return replace(self, features=tuple(map(with_categories, self.features, columns)))

    def fill(self, X: TableLike, filled: EncodedMatrix) -> Any:
        """Return the rows as a frame, their missing values replaced by those of a matrix, all others as they are.

        Parameters
        ----------
        X : table, frame or array
        filled : EncodedMatrix
            The same rows without missing values.
        """
        table = Table.from_any(X)
        columns = self._align(table, by_name=self.named and _has_names(X))
        return Table(
            (fill_column(column, filled, j) if column.n_missing else column for j, column in enumerate(columns)),
            origin=table.origin,
        ).to_frame()

    def _encode_sparse(self, X: Any) -> EncodedMatrix:
        self._check_width(X.shape[1])
        if not self.sparse:
            return self.encode(np.asarray(X.todense(), dtype=np.float64))
        n = X.shape[0]
        empty = np.empty((n, 0)), np.empty((n, 0), np.int32, order="F")
        return EncodedMatrix(self.features, *empty, sparse=sp.csr_array(X))

    def _encode_table(self, table: Table, by_name: bool) -> EncodedMatrix:
        columns = dict(zip(self.names, self._align(table, by_name)))
        lost: Lost = []
        spreads = iter(self.spreads)
        numeric = [
            numbers_of(columns[feature.name], feature, lost, self.whole, empty=not next(spreads, _SOME).values)
            for feature in self.features
            if feature.in_numeric_block
        ]
        strings = {each.name: strings_of(columns[each.name]) for each in self.columns if each.kind == "text"}
        words = word_codes(strings, self.features) if strings else {}
        codes = [
            codes_of(columns[feature.name], feature, self.unseen, lost) if feature.word is None else words[feature.name]
            for feature in self.features
            if feature.is_nominal
        ]
        if lost and self.whole:
            warn_of(lost)
        text = {j: strings[feature.name] for j, feature in enumerate(self.features) if feature.kind == "text"}
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
        found = matching_columns(self.names, table.columns)
        absent = [name for name in self.names if name not in found]
        if absent:
            free = [name for name in table.columns if name not in found.values()]
            raise ColumnError(
                "columns-of-model-absent",
                "The table lacks the {n:column|columns} {absent}, which the model was trained on; it has {columns}. "
                "If {n:it has|they have} another name there, set {option}; else add {n:it|them} (an empty column "
                "counts as missing values), or train without {n:it|them}.",
                n=len(absent),
                absent=listed(absent, quoted=True),
                columns=listed(table.columns, quoted=True),
                option=renaming(likeliest(absent[0], free) or next(iter(free), "…"), absent[0]),
            )
        note_matches(found)
        return [table.column(found[name]) for name in self.names]

    def _check_width(self, width: int) -> None:
        if width != len(self.columns):
            raise InputError(
                "number-of-columns",
                "X has {n:,} {n:column|columns}, but the model was trained on {trained:,}. Give the same columns in "
                "the same order.",
                n=width,
                trained=len(self.columns),
            )

    def to_state(self) -> dict[str, Any]:
        """Return JSON for the model file."""
        return {
            "features": [feature.to_state() for feature in self.features],
            "named": self.named,
            "unseen": self.unseen,
            "sparse": self.sparse,
            "spreads": [spread.to_state() for spread in self.spreads],
            **({} if self.whole else {"whole": False}),
            **({"incomplete": list(self.incomplete)} if self.incomplete else {}),
        }

    @classmethod
    def from_state(cls, state: object) -> Codebook:
        """Rebuild from a model file, trusting nothing in it."""
        if not isinstance(state, dict) or not isinstance(state.get("features"), list):
            raise damaged_model_file(text("its columns are not readable"))
        features = tuple(Feature.from_state(feature) for feature in state["features"])
        if len({feature.name for feature in features}) != len(features):
            raise damaged_model_file(text("a column appears twice"))
        if {feature.name for feature in features} & {feature.word[0] for feature in features if feature.word}:
            raise damaged_model_file(text("a column appears both as text and as words"))
        named, unseen, sparse = state.get("named"), state.get("unseen"), state.get("sparse")
        if not isinstance(named, bool) or not isinstance(sparse, bool) or unseen not in ("missing", "error"):
            raise damaged_model_file(text("its columns are not readable"))
        if sparse and any(feature.kind != "numeric" or feature.is_date for feature in features):
            raise damaged_model_file(text("the columns of a sparse matrix must be numeric"))
        spreads = state.get("spreads", [])
        if not isinstance(spreads, list) or len(spreads) not in (0, sum(f.in_numeric_block for f in features)):
            raise damaged_model_file(text("the summary of its numeric columns is not readable"))
        known = tuple(Spread.from_state(spread) for spread in spreads)
        incomplete = state.get("incomplete", [])
        if not isinstance(incomplete, list) or any(
            type(j) is not int or not 0 <= j < len(features) for j in incomplete
        ):
            raise damaged_model_file(text("the list of its incomplete columns is not readable"))
        return cls(features, named, unseen, sparse, known, state.get("whole", True) is True, tuple(incomplete))


def _is_numbers(X: TableLike) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2


def _is_single(X: TableLike) -> bool:
    """Return whether X is a matrix of float32; of infinite numbers, the table knows what to say."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32 and X.ndim == 2 and not np.isinf(X).any()


def _has_names(X: TableLike) -> bool:
    """Return whether the columns of X have names: an array or a list of lists has none, a list of dicts has."""
    return not isinstance(X, np.ndarray) and not (isinstance(X, list) and not (X and isinstance(X[0], dict)))


@lru_cache(maxsize=8)
def _anonymous(width: int) -> tuple[Feature, ...]:
    return tuple(Feature(f"x{j}") for j in range(width))


def _stack(columns: list[np.ndarray], n: int, dtype: DTypeLike) -> np.ndarray:
    block = np.empty((n, len(columns)), dtype=dtype, order="F")
    for j, column in enumerate(columns):
        block[:, j] = column
    return block
