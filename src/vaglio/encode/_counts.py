"""Rows as one block of counts: numbers as they are, one column per category, one column per word.

A boolean or asymmetric column is one column: 1 where it is present. Two, one for True and one for False, would count
the same evidence twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode._feature import Feature
from vaglio.encode._matrix import EncodedMatrix


@dataclass(frozen=True)
class CountBlock:
    """A block of counts, and which cells of the table are missing.

    Attributes
    ----------
    values : ndarray or csr_array, shape (n, W)
        Zero where missing.
    missing : ndarray of bool, shape (n, n_features), or None
        Cells of the table that are missing; None when none is.
    """

    values: Any
    missing: np.ndarray | None


def count_columns(features: tuple[Feature, ...]) -> tuple[list[str], np.ndarray]:
    """Return the name of each column of the block, and the index of the feature it belongs to."""
    names: list[str] = []
    owner: list[int] = []
    # The only column of a table of texts needs no name before each word.
    texts = sum(feature.kind == "text" for feature in features)
    for j, feature in enumerate(features):
        if feature.kind == "text":
            prefix = f"{feature.name}: " if texts > 1 or texts < len(features) else ""
            own = [f"{prefix}{word}" for word in feature.categories]
        elif feature.is_nominal and feature.default is None:
            own = [f"{feature.name}={category}" for category in feature.categories]
        else:
            own = [feature.name]
        names += own
        owner += [j] * len(own)
    return names, np.array(owner, dtype=np.int64)


def count_block(matrix: EncodedMatrix) -> CountBlock:
    """Return the block, in the order of the user's columns; sparse if the rows are sparse, nominal or text."""
    if matrix.sparse is not None:
        return CountBlock(matrix.sparse, None)
    missing = matrix.missing if matrix.has_missing or _lacks_text(matrix) else None
    if not matrix.text and not matrix.nominal_features.size:
        values = matrix.numeric if missing is None else np.nan_to_num(matrix.numeric)
        return CountBlock(values, missing)
    parts = [_columns_of(matrix, j) for j in range(matrix.n_features)]
    return CountBlock(sp.csr_array(sp.hstack(parts, format="csr")), missing)


def _lacks_text(matrix: EncodedMatrix) -> bool:
    return any(text is None for strings in matrix.text.values() for text in strings)


def _columns_of(matrix: EncodedMatrix, j: int) -> sp.csr_array:
    feature = matrix.features[j]
    if feature.kind == "text":
        return matrix.word_counts(j)
    if feature.is_nominal:
        codes = matrix.codes[:, matrix.position[j]]
        if feature.default is not None:
            return sp.csr_array(((codes >= 0) & (codes != feature.default)).astype(np.float64)[:, None])
        rows = np.flatnonzero(codes >= 0)
        shape = (matrix.n_rows, len(feature.categories))
        return sp.csr_array((np.ones(len(rows)), (rows, codes[rows])), shape=shape)
    return sp.csr_array(np.nan_to_num(matrix.numeric[:, [matrix.position[j]]]))
