"""Copies of rows with a few values changed, made many at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from vaglio.encode import EncodedMatrix


@dataclass(frozen=True)
class Variants:
    """Changed copies of the rows of a matrix.

    Attributes
    ----------
    row : int64 (m,)
        The row each is a copy of.
    feature : int64 (m, d)
        The columns changed in it; -1 for none.
    value : float64 (m, d)
        What they become: a number, a category code; of a text column, the index of the word left out.
    """

    row: np.ndarray
    feature: np.ndarray
    value: np.ndarray

    @classmethod
    def single(cls, row: np.ndarray, feature: np.ndarray, value: np.ndarray) -> Variants:
        """Copies with one change each."""
        return cls(row, feature[:, None], value[:, None])

    @classmethod
    def of_lists(cls, entries: list[tuple[int, list[tuple[int, float]]]], width: int = 1) -> Variants:
        """Copies given as a row and its changes, which may differ in number."""
        width = max([width, *(len(changes) for _, changes in entries)])
        feature = np.full((len(entries), width), -1, dtype=np.int64)
        value = np.zeros((len(entries), width))
        for i, (_, changes) in enumerate(entries):
            for k, (j, number) in enumerate(changes):
                feature[i, k], value[i, k] = j, number
        return cls(np.array([row for row, _ in entries], dtype=np.int64), feature, value)

    def __len__(self) -> int:
        return len(self.row)

    def joined(self, other: Variants) -> Variants:
        """These copies and others with as many changes."""
        return Variants(
            np.concatenate([self.row, other.row]),
            np.concatenate([self.feature, other.feature]),
            np.concatenate([self.value, other.value]),
        )

    def take(self, which: np.ndarray) -> Variants:
        return Variants(self.row[which], self.feature[which], self.value[which])

    def also(self, feature: np.ndarray, value: np.ndarray) -> Variants:
        """The same copies with one more change each."""
        return Variants(
            self.row, np.column_stack([self.feature, feature]), np.column_stack([self.value, value.astype(np.float64)])
        )

    def with_values(self, k: int, value: np.ndarray) -> Variants:
        """The same changes with other values for the k-th of each."""
        changed = self.value.copy()
        changed[:, k] = value
        return Variants(self.row, self.feature, changed)

    def changes(self, i: int) -> list[tuple[int, float]]:
        return [(int(j), float(v)) for j, v in zip(self.feature[i], self.value[i]) if j >= 0]

    def of(self, matrix: EncodedMatrix) -> EncodedMatrix:
        """Make the copies."""
        made = matrix.take(self.row)
        for k in range(self.feature.shape[1]):
            for j in np.unique(self.feature[:, k]).tolist():
                if j >= 0:
                    here = np.flatnonzero(self.feature[:, k] == j)
                    _assign(made, int(j), here, self.value[here, k])
        return made


def _assign(matrix: EncodedMatrix, feature: int, rows: np.ndarray, values: np.ndarray) -> None:
    column = matrix.features[feature]
    if matrix.sparse is not None:
        for row, value in zip(rows.tolist(), values.tolist()):
            start, end = matrix.sparse.indptr[row : row + 2]
            matrix.sparse.data[start:end][matrix.sparse.indices[start:end] == feature] = value
    elif column.kind == "text":
        strings = matrix.text[feature]
        for row, word in zip(rows.tolist(), values.tolist()):
            strings[row] = without_word(strings[row], column.categories[int(word)])
    elif column.is_nominal:
        matrix.codes[rows, matrix.position[feature]] = values.astype(np.int32)
    else:
        matrix.numeric[rows, matrix.position[feature]] = values


def without_word(text: str, word: str) -> str:
    """Return a text with every occurrence of a word left out."""
    return re.sub(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", " ", text)
