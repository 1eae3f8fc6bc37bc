"""What naive Bayes needs of the rows, in a form that merges: parts of a table give the same as the whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse as sp

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, guarded_from, natural_order, reliability
from vaglio.errors import InputError


@dataclass(frozen=True)
class Moments:
    """Weight, mean and sum of squared deviations, each (K, p): classes by columns of the numeric block."""

    weight: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    def merge(self, other: Moments) -> Moments:
        """Combine with another part (Chan, Golub and LeVeque)."""
        total, step = self.weight + other.weight, other.mean - self.mean
        if self.weight.all():
            share = other.weight / total
            mean = self.mean + step * share
        else:
            share = np.divide(other.weight, total, out=np.zeros_like(total), where=total > 0)
            mean = np.where(self.weight > 0, self.mean + step * share, other.mean)
        with np.errstate(over="ignore"):  # densities of such numbers are refused, intervals need no squares
            between = step**2 * self.weight * share
        return Moments(total, mean, self.deviation + other.deviation + between)

    def overall(self) -> Moments:
        """Moments over all classes together, each (1, p)."""
        parts = [Moments(*(part[c : c + 1] for part in self._parts())) for c in range(len(self.weight))]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.merge(part)
        return whole

    def select(self, columns: np.ndarray) -> Moments:
        return Moments(*(part[:, columns] for part in self._parts()))

    def _parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.weight, self.mean, self.deviation


@dataclass(frozen=True)
class Statistics:
    """Counts and moments of one table.

    Attributes
    ----------
    features : tuple of Feature
    rows : int
        Rows of positive weight.
    class_weight : ndarray (K,)
    moments : Moments
        Of the numeric block.
    tables : dict of int to ndarray (K, V)
        Class weights of every category, by nominal or ordinal feature.
    squares : dict of int to ndarray (V,)
        Sum of the squared weights of the rows of every category, by nominal feature.
    words : dict of int to ndarray (K, W)
        Word counts, by text feature.
    documents : dict of int to ndarray (K,)
        Weight of the documents present, by text feature.
    low, high : ndarray (p,)
        Range of each column of the numeric block; NaN without values.
    """

    features: tuple[Feature, ...]
    rows: int
    class_weight: np.ndarray
    moments: Moments
    tables: dict[int, np.ndarray]
    squares: dict[int, np.ndarray]
    words: dict[int, np.ndarray]
    documents: dict[int, np.ndarray]
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def gather(
        cls, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int
    ) -> Statistics:
        """Count the rows."""
        tables = category_tables(matrix, y, weight, k, threads)
        documents = {}
        for j, texts in matrix.text.items():
            present = np.array([text is not None for text in texts], dtype=np.float64)
            documents[j] = np.bincount(y, present if weight is None else present * weight, minlength=k)
        return cls(
            matrix.features,
            len(y) if weight is None else int(np.count_nonzero(weight)),
            np.bincount(y, weight, minlength=k).astype(np.float64),
            Moments(*_core.class_moments(matrix.numeric, y, weight, k, threads)),
            tables,
            squares_of_categories(matrix, None if weight is None else weight**2, tables),
            {j: sum_by_class(matrix.word_counts(j), y, weight, k) for j in matrix.text},
            documents,
            matrix.ranges.low,
            matrix.ranges.high,
        )

    def merge(self, other: Statistics) -> Statistics:
        """Combine with another part of the same table, whose categories may differ."""
        features = tuple(join_features(a, b) for a, b in zip(self.features, other.features))
        mine, theirs = self._recoded(features), other._recoded(features)
        return Statistics(
            features,
            self.rows + other.rows,
            self.class_weight + other.class_weight,
            self.moments.merge(other.moments),
            {j: table + theirs.tables[j] for j, table in mine.tables.items()},
            {j: square + theirs.squares[j] for j, square in mine.squares.items()},
            {j: table + theirs.words[j] for j, table in mine.words.items()},
            {j: count + other.documents[j] for j, count in self.documents.items()},
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
        )

    def _recoded(self, features: tuple[Feature, ...]) -> Statistics:
        def recode(table: np.ndarray, old: Feature, new: Feature) -> np.ndarray:
            wide = np.zeros((len(table), len(new.categories)))
            wide[:, [new.code_of[key] for key in old.code_of]] = table
            return wide

        tables = {j: recode(table, self.features[j], features[j]) for j, table in self.tables.items()}
        squares = {j: recode(s[None], self.features[j], features[j])[0] for j, s in self.squares.items()}
        words = {j: recode(table, self.features[j], features[j]) for j, table in self.words.items()}
        return replace(self, features=features, tables=tables, squares=squares, words=words)

    def reliability(self, j: int, guard: float | None) -> float:
        """How far a nominal feature is believed: 1 unless it has many values, and they tell little beyond chance."""
        if j not in self.squares or self.tables[j].shape[1] <= guarded_from(guard, self.rows):
            return 1.0
        return reliability(self.tables[j].T, self.squares[j])

    def numeric_ranges(self) -> dict[int, tuple[float, float]]:
        """Return the least and the largest value of each numeric feature, not of ordinal ones, that has any."""
        block = [j for j, feature in enumerate(self.features) if feature.in_numeric_block]
        ends = zip(block, self.low.tolist(), self.high.tolist())
        return {j: (low, high) for j, low, high in ends if self.features[j].kind == "numeric" and low == low}


def join_features(a: Feature, b: Feature) -> Feature:
    """Return the feature with the categories of both, in the order one table with all of them would give."""
    if a.kind != b.kind:
        raise InputError(
            "column-type-changed",
            "Column {column!r} was {before} in the earlier rows and is {now} in these. Give all parts the same types.",
            column=a.name,
            before=a.kind,
            now=b.kind,
        )
    if a.categories == b.categories:
        return a
    if a.kind == "ordinal":
        raise InputError(
            "ordered-categories-changed",
            "The ordered categories of column {column!r} differ from those of the earlier rows. "
            "Declare all of them in every part.",
            column=a.name,
        )
    return replace(a, categories=tuple(sorted({*a.categories, *b.categories}, key=natural_order)))


def category_tables(
    matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int
) -> dict[int, np.ndarray]:
    if all(feature.kind == "numeric" for feature in matrix.features):
        return {}
    tables = _tables(matrix.codes, matrix.nominal_features, matrix, y, weight, k, threads)
    ordinal = np.flatnonzero([feature.kind == "ordinal" for feature in matrix.features])
    if ordinal.size:
        ranks = matrix.numeric[:, matrix.position[ordinal]]
        codes = np.where(np.isnan(ranks), -1, ranks).astype(np.int32)
        tables |= _tables(codes, ordinal, matrix, y, weight, k, threads)
    return tables


def squares_of_categories(
    matrix: EncodedMatrix, squares: np.ndarray | None, tables: dict[int, np.ndarray]
) -> dict[int, np.ndarray]:
    """Return the sum of these squared weights over the rows of every category, by nominal feature; None is 1 each."""
    index = [int(j) for j in matrix.nominal_features]
    if squares is None:
        return {j: tables[j].sum(axis=0) for j in index}
    return {
        j: np.bincount(codes + 1, squares, minlength=tables[j].shape[1] + 1)[1:]
        for j, codes in zip(index, matrix.codes.T)
    }


def _tables(
    codes: np.ndarray,
    index: np.ndarray,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    k: int,
    threads: int,
) -> dict[int, np.ndarray]:
    sizes = np.array([len(matrix.features[j].categories) for j in index], dtype=np.int64)
    flat = _core.code_counts(codes, sizes, y, weight, k, threads)
    parts = np.split(flat, np.cumsum(sizes * k)[:-1]) if len(index) else []
    return {int(j): part.reshape(k, size) for j, part, size in zip(index, parts, sizes)}


def sum_by_class(counts: object, y: np.ndarray, weight: np.ndarray | None, k: int) -> np.ndarray:
    """Return the weighted sum of the rows of each class, shape (K, columns), of a dense or sparse matrix."""
    w = np.ones(len(y)) if weight is None else weight
    indicator = sp.csr_array((w, (y, np.arange(len(y)))), shape=(k, len(y)))
    total = indicator @ counts
    return total.toarray() if sp.issparse(total) else np.asarray(total)
