"""The smallest change by trying: one column after the other, then two and three; for every kind of model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._asking import decide, leads, values_per_class
from vaglio.explanation._context import Context
from vaglio.explanation._ruler import Ruler
from vaglio.explanation._variants import Variants

# Values tried in one column of one row, at most; halvings of the way to the nearest that flips; columns changed.
_MOST_VALUES = 48
_HALVINGS = 14
_MOST_COLUMNS = 3
# Of the columns that flip a row alone, those that were nearest before the change was made as small as can be.
_FINALISTS = 3
# Rows given to the model at once.
_BATCH = 50_000


@dataclass(frozen=True)
class Question:
    """Rows, what the model decided for them, and how changes are measured."""

    model: Any
    matrix: EncodedMatrix
    codes: np.ndarray
    ruler: Ruler

    @property
    def context(self) -> Context:
        return self.ruler.context

    @cached_property
    def encoded(self) -> np.ndarray:
        """What every row has in every column, (n, n_features); NaN when missing and for text."""
        values = np.full((self.matrix.n_rows, self.matrix.n_features), np.nan)
        if self.matrix.sparse is not None:
            return self.matrix.sparse.toarray()
        values[:, self.matrix.numeric_features] = self.matrix.numeric
        codes = self.matrix.codes.astype(np.float64)
        values[:, self.matrix.nominal_features] = np.where(codes < 0, np.nan, codes)
        return values

    def ask(self, variants: Variants) -> np.ndarray:
        """Return the class of each changed copy."""
        parts = [
            decide(self.model, variants.take(np.arange(start, min(start + _BATCH, len(variants)))).of(self.matrix))
            for start in range(0, len(variants), _BATCH)
        ]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def flips(self, variants: Variants) -> np.ndarray:
        return self.ask(variants) != self.codes[variants.row]

    def distance(self, variants: Variants) -> np.ndarray:
        """Sum of the distances of each copy's changes."""
        total = np.zeros(len(variants))
        for k in range(variants.feature.shape[1]):
            used = variants.feature[:, k] >= 0
            j = variants.feature[used, k]
            total[used] += self.ruler.distances(j, self.encoded[variants.row[used], j], variants.value[used, k])
        return total


Found = dict[int, list[tuple[int, float]]]


def search(question: Question, rows: np.ndarray, patience: int) -> Found:
    """Return the smallest change found for each of the rows, where there is one.

    Parameters
    ----------
    patience : int
        How many changed copies may be tried for all rows together in one round.
    """
    fixed = Variants(rows, np.empty((len(rows), 0), np.int64), np.empty((len(rows), 0)))
    found: Found = {}
    for _ in range(_MOST_COLUMNS):
        if not len(fixed):
            break
        tried = _candidates(question, fixed, patience)
        flipped = question.flips(tried) if len(tried) else np.empty(0, bool)
        best = _nearest(question, _finalists(question, tried.take(np.flatnonzero(flipped))))
        found |= {int(row): best.changes(i) for i, row in enumerate(best.row)}
        left = ~np.isin(tried.row, best.row)
        fixed = _most_helpful(question, tried.take(np.flatnonzero(left)))
    return found


def _candidates(question: Question, fixed: Variants, patience: int) -> Variants:
    """Every copy with one more column changed, as many values of it as patience allows."""
    features = range(question.matrix.n_features)
    if question.matrix.sparse is not None or question.matrix.text:
        return _leaving_out(question, fixed, patience)
    # Every column is tried with two values at least, however many rows and columns there are: patience bounds the rest.
    most = int(min(_MOST_VALUES, max(2, patience / max(1, len(fixed)) / max(1, len(features)))))
    grids = [question.ruler.candidates(j, most) for j in features]
    feature = np.repeat(np.arange(len(grids)), [len(grid) for grid in grids])
    value = np.concatenate(grids) if grids else np.empty(0)
    each = np.repeat(np.arange(len(fixed)), len(feature))
    tried = fixed.take(each).also(np.tile(feature, len(fixed)), np.tile(value, len(fixed)))
    now = question.encoded[tried.row, tried.feature[:, -1]]
    fresh = (tried.value[:, -1] != now) & (tried.feature[:, :-1] != tried.feature[:, -1:]).all(axis=1)
    return tried.take(np.flatnonzero(fresh))


def _leaving_out(question: Question, fixed: Variants, patience: int) -> Variants:
    """Copies of sparse rows without one entry, of documents without one word."""
    entries = []
    share = max(8, patience // max(1, len(fixed)))
    for i, row in enumerate(fixed.row.tolist()):
        before = fixed.changes(i)
        options = [option for option in _parts_of(question.matrix, row) if option not in before]
        entries += [(row, [*before, option]) for option in options[:share]]
    return Variants.of_lists(entries)


def _parts_of(matrix: EncodedMatrix, row: int) -> list[tuple[int, float]]:
    if matrix.sparse is not None:
        start, end = matrix.sparse.indptr[row : row + 2]
        return [(int(j), 0.0) for j in matrix.sparse.indices[start:end]]
    parts = []
    for j, strings in matrix.text.items():
        words = set(re.findall(r"\w\w+", (strings[row] or "").lower()))
        place = matrix.features[j].code_of
        parts += [(j, float(place[word])) for word in sorted(words) if word in place]
    return parts


def _finalists(question: Question, flipped: Variants) -> Variants:
    """For each row the nearest flipping value of its few nearest columns."""
    if not len(flipped):
        return flipped
    far, last = question.distance(flipped), flipped.feature[:, -1]
    order = np.lexsort((far, last, flipped.row))
    row, feature = flipped.row[order], last[order]
    is_text = bool(question.matrix.text)
    first = np.r_[True, (row[1:] != row[:-1]) | (feature[1:] != feature[:-1]) | is_text]
    nearest = order[first]
    nearest = nearest[np.lexsort((far[nearest], flipped.row[nearest]))]
    row = flipped.row[nearest]
    begins = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    rank = np.arange(len(row)) - np.repeat(begins, np.diff(np.r_[begins, len(row)]))
    return flipped.take(nearest[rank < _FINALISTS])


def _nearest(question: Question, finalists: Variants) -> Variants:
    """Make the changes as small as they can be, and keep the nearest of each row."""
    if not len(finalists):
        return finalists
    for k in reversed(range(finalists.feature.shape[1])):
        finalists = _closer(question, finalists, k)
    order = np.lexsort((question.distance(finalists), finalists.row))
    row = finalists.row[order]
    return finalists.take(order[np.r_[True, row[1:] != row[:-1]]])


def _closer(question: Question, variants: Variants, k: int) -> Variants:
    """Halve the way between what the row has and a number that flips it, again and again; then round."""
    j = variants.feature[:, k]
    now = question.encoded[variants.row, j]
    numeric = np.array([f.in_numeric_block for f in question.context.features])
    moving = np.flatnonzero(numeric[j] & ~np.isnan(now)) if question.matrix.sparse is None else np.empty(0, int)
    if not moving.size:
        return variants
    part = variants.take(moving)
    stays, flips = now[moving], part.value[:, k].copy()
    for _ in range(_HALVINGS):
        middle = (stays + flips) / 2
        yes = question.flips(part.with_values(k, middle))
        flips, stays = np.where(yes, middle, flips), np.where(yes, stays, middle)
    best, open_ = part.value[:, k].copy(), np.ones(len(part), bool)
    for extra in range(4):
        value = np.array(
            [
                question.ruler.rounded_away(int(f), v, x, extra)
                for f, v, x in zip(part.feature[:, k], flips, now[moving])
            ]
        )
        good = open_ & question.flips(part.with_values(k, value)) & (value != now[moving])
        best[good], open_[good] = value[good], False
    # Rounding may step over where a readable training value stood: that one is kept if it is nearer.
    farther = np.abs(best - now[moving]) > np.abs(part.value[:, k] - now[moving])
    best[farther] = part.value[farther, k]
    changed = variants.value.copy()
    changed[moving, k] = best
    return Variants(variants.row, variants.feature, changed)


def _most_helpful(question: Question, tried: Variants) -> Variants:
    """For each row the change that shortened its lead most, to go on from; none if nothing did."""
    if not len(tried):
        return tried
    lead = np.concatenate(
        [
            leads(values_per_class(question.model, part.of(question.matrix)), question.codes[part.row])
            for part in (tried.take(np.arange(s, min(s + _BATCH, len(tried)))) for s in range(0, len(tried), _BATCH))
        ]
    )
    order = np.lexsort((question.distance(tried), lead, tried.row))
    row = tried.row[order]
    first = order[np.r_[True, row[1:] != row[:-1]]]
    chosen = tried.take(first)
    before = Variants(chosen.row, chosen.feature[:, :-1], chosen.value[:, :-1])
    start = leads(values_per_class(question.model, before.of(question.matrix)), question.codes[chosen.row])
    return chosen.take(np.flatnonzero(lead[first] < start))
