"""From rows and a model to the smallest changes: the way of the model's kind where it has one, else the search.

Every way asks the same question: which copies of a row, with a few values changed, does the model give another class?
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.by_kind import changes, cuts
from vaglio.explanation.context import Context
from vaglio.explanation.counterfactual.distance import Ruler
from vaglio.explanation.explanation import Change, Counterfactual, Explanation
from vaglio.model.base import class_codes

# Cells given to the model at once: 32 MB of numbers.
_BATCH = 4_000_000
# Of a very wide table, columns tried: those the explanation names first.
MOST_TRIED = 200

# The smallest change of each row that has one: which columns become what.
Found = dict[int, list[tuple[int, float]]]


def find_counterfactuals(
    model: Any, matrix: EncodedMatrix, context: Context, explanations: Sequence[Explanation] = ()
) -> list[Counterfactual | None]:
    """Return for each row the smallest change found that gives it another class; None where none was found.

    Parameters
    ----------
    model : Model
    matrix : EncodedMatrix
        The rows.
    context : Context
    explanations : sequence of Explanation
        Of the rows: of a very wide table, columns they name are tried first.
    """
    assert context.classes is not None
    if len(context.classes) < 2 or not matrix.n_rows:
        return [None] * matrix.n_rows
    cuts_of = cuts.find(model.kind)
    ruler = Ruler(context, None if cuts_of is None else cuts_of(model, context))
    decided = class_codes(model, matrix, context.cost)
    question = Question(model, matrix, decided, ruler, _named(explanations, context))
    found = (changes.find(model.kind) or _by_search)(question, np.arange(matrix.n_rows))
    # Every change is checked by the model: one that does not give another class is dropped.
    changed = Variants.of_lists([(row, found[row]) for row in sorted(found)])
    become = dict(zip(changed.row.tolist(), question.ask(changed).tolist()))
    far = dict(zip(changed.row.tolist(), question.distance(changed).tolist()))
    return [
        _told(question, row, found[row], become[row], far[row])
        if row in found and become[row] != question.codes[row] and not _writes_a_text(question, row, found[row])
        else None
        for row in range(matrix.n_rows)
    ]


def _writes_a_text(question: Question, row: int, changed: list[tuple[int, float]]) -> bool:
    """Whether a word is told of a text that is missing: the other words would then be known as well."""
    features = question.context.features
    return any(features[j].word is not None and np.isnan(question.encoded[row, j]) for j, _ in changed)


def _by_search(question: Question, rows: np.ndarray) -> Found:
    # Imported late: the search is written with the classes of this module.
    from vaglio.explanation.counterfactual.black_box import search

    return search(question, rows)


def _named(explanations: Sequence[Explanation], context: Context) -> tuple[int, ...]:
    """The columns that explanations name, in the order of their first mention."""
    place = {feature.name: j for j, feature in enumerate(context.features)}
    said = (reason.feature for e in explanations for reason in (*e.reasons, *e.against))
    return tuple(dict.fromkeys(place[name] for name in said if name is not None))


def _told(question: Question, row: int, changed: list[tuple[int, float]], code: int, far: float) -> Counterfactual:
    context = question.context
    return Counterfactual(
        tuple(_change(question, row, j, value) for j, value in changed), context.label(code), round(far, 6)
    )


def _change(question: Question, row: int, j: int, value: float) -> Change:
    feature = question.context.features[j]
    now = question.context.value(question.matrix, row, j)
    if feature.kind == "text":
        return Change(feature.name, now, feature.categories[int(value)], is_word=True)
    if feature.word is not None:
        return Change(feature.column, now, feature.word[1], is_word=True)
    return Change(feature.name, now, question.context.decoded(j, value))


@dataclass(frozen=True)
class Question:
    """Rows, what the model decided for them, and how changes are measured.

    Attributes
    ----------
    first : tuple of int
        Columns to try before others, where there are too many.
    """

    model: Any
    matrix: EncodedMatrix
    codes: np.ndarray
    ruler: Ruler
    first: tuple[int, ...] = ()

    @property
    def context(self) -> Context:
        return self.ruler.context

    @cached_property
    def encoded(self) -> np.ndarray:
        """What every row has in every column, (n, n_features); NaN when missing and for text."""
        values = np.full((self.matrix.n_rows, self.matrix.n_features), np.nan)
        if self.matrix.sparse is not None:
            dense: np.ndarray = self.matrix.sparse.toarray()
            return dense
        values[:, self.matrix.numeric_features] = self.matrix.numeric
        codes = self.matrix.codes.astype(np.float64)
        values[:, self.matrix.nominal_features] = np.where(codes < 0, np.nan, codes)
        return values

    def ask(self, variants: Variants) -> np.ndarray:
        """Return the class of each changed copy."""
        cost = self.context.cost
        parts = [class_codes(self.model, part.of(self.matrix), cost) for part in self.batches(variants)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def batches(self, variants: Variants) -> Iterator[Variants]:
        """Parts of the copies, each small enough to be made at once."""
        size = max(64, _BATCH // max(1, self.matrix.n_features))
        for start in range(0, len(variants), size):
            yield variants.take(np.arange(start, min(start + size, len(variants))))

    @cached_property
    def columns(self) -> list[int]:
        """The columns whose values are tried."""
        others = [j for j in range(self.matrix.n_features) if j not in set(self.first)]
        return sorted([*self.first, *others][:MOST_TRIED])

    def flips(self, variants: Variants) -> np.ndarray:
        changed: np.ndarray = self.ask(variants) != self.codes[variants.row]
        return changed

    def distance(self, variants: Variants) -> np.ndarray:
        """Sum of the distances of each copy's changes."""
        total = np.zeros(len(variants))
        for k in range(variants.feature.shape[1]):
            used = variants.feature[:, k] >= 0
            j = variants.feature[used, k]
            total[used] += self.ruler.distances(j, self.encoded[variants.row[used], j], variants.value[used, k])
        return total


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
        width = max([width, *(len(changed) for _, changed in entries)])
        feature = np.full((len(entries), width), -1, dtype=np.int64)
        value = np.zeros((len(entries), width))
        for i, (_, changed) in enumerate(entries):
            for k, (j, number) in enumerate(changed):
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
