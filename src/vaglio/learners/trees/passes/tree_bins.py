"""Tables of bins: what trees with ``max_bins``, and trees of rows that are not in memory, are grown on.

Numeric columns are cut into bins of about equally many rows, by a sample of the rows that depends on their numbers
alone; columns of few values keep one bin per value. A cell takes one byte, or two in columns of more than 255 bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.trees.model.tree import kernel_features
from vaglio.runtime.seeds import row_hash

# Rows by which bins are cut: with 255 bins, a bin has five hundred of them.
SAMPLE_ROWS = 1 << 17
# Columns of at most so many values keep a bin per value, if max_bins allows it, whatever the sample has.
FEW_VALUES = 256
# What rows outside memory are binned by when max_bins is not given: one byte per cell.
DEFAULT_BINS = 255

Edges = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Binning:
    """The bins of each numeric column, and how rows are put into them.

    Attributes
    ----------
    features : tuple of Feature
    edges : tuple of pairs of ndarray
        The least and the greatest value that was seen of each bin, per numeric column.
    strict : bool
        Whether a number that parts two bins belongs to the upper one.
    """

    features: tuple[Feature, ...]
    edges: tuple[Edges, ...]
    strict: bool

    def layout(self) -> _core.BinnedLayout:
        """Return the bins as the grower reads them."""
        nominal, column, n_categories = kernel_features(self.features)
        return _core.BinnedLayout(nominal, column, n_categories, list(self.edges))

    def columns(self, matrix: EncodedMatrix) -> list[np.ndarray]:
        """Return the bin or the code of every row, feature by feature; the last code is a missing value."""
        return _core.bin_rows(self.layout(), matrix.numeric, matrix.codes, self.strict, matrix.threads)

    def matrix(self, columns: list[np.ndarray]) -> EncodedMatrix:
        """Return rows that are in these bins; a tree grown on the bins treats them as the rows themselves."""
        rows = len(columns[0])
        numeric = np.full((rows, len(self.edges)), np.nan, order="F")
        codes = np.full((rows, sum(feature.is_nominal for feature in self.features)), -1, dtype=np.int32, order="F")
        at_number = at_code = 0
        for feature, column in zip(self.features, columns):
            if feature.is_nominal:
                known = column < len(feature.categories)
                codes[known, at_code] = column[known]
                at_code += 1
            else:
                numeric[:, at_number] = np.append(self.edges[at_number][1], np.nan)[column]
                at_number += 1
        return EncodedMatrix(self.features, numeric, codes)

    def of_features(self, chosen: np.ndarray) -> Binning:
        """Return the bins of some of the features, given in ascending order."""
        numeric = np.cumsum([feature.in_numeric_block for feature in self.features]) - 1
        features = tuple(self.features[j] for j in chosen)
        edges = tuple(self.edges[numeric[j]] for j in chosen if self.features[j].in_numeric_block)
        return Binning(features, edges, self.strict)

    @classmethod
    def cut(
        cls,
        features: tuple[Feature, ...],
        sample: np.ndarray,
        values: Sequence[np.ndarray | None],
        max_bins: int,
        strict: bool,
    ) -> Binning:
        """Cut columns by sampled rows; ``values`` has all values of the columns that have few."""
        edges = []
        for j, known in enumerate(values):
            exact = known is not None and len(known) <= max_bins
            column = known if exact else sample[:, j]
            edges.append(_core.bin_edges(np.ascontiguousarray(column, dtype=np.float64), max_bins))
        return cls(features, tuple(edges), strict)


def binning_of(matrix: EncodedMatrix, max_bins: int, strict: bool) -> Binning:
    """Cut the columns of rows in memory."""
    sample = matrix.numeric
    values: list[np.ndarray | None] = [None] * sample.shape[1]
    if matrix.n_rows > SAMPLE_ROWS:
        sample = sample[sampled_rows(np.arange(matrix.n_rows), matrix.n_rows)]
        values = [_few_values(matrix.numeric[:, j], sample[:, j]) for j in range(sample.shape[1])]
    return Binning.cut(matrix.features, sample, values, max_bins, strict)


def sampled_rows(index: np.ndarray, n_rows: int) -> np.ndarray:
    """Return which rows, by their numbers, bins are cut by: about ``SAMPLE_ROWS`` of ``n_rows``, whoever holds them."""
    if n_rows <= SAMPLE_ROWS:
        return np.ones(len(index), dtype=bool)
    chosen: np.ndarray = row_hash(index, 0) < np.uint64(SAMPLE_ROWS / n_rows * 2**64)
    return chosen


def _few_values(column: np.ndarray, sample: np.ndarray) -> np.ndarray | None:
    if len(_known(sample)) > FEW_VALUES:
        return None
    values = _known(column)
    return values if len(values) <= FEW_VALUES else None


def _known(column: np.ndarray) -> np.ndarray:
    values: np.ndarray = np.unique(column[~np.isnan(column)])
    return values
