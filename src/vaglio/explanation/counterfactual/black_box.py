"""The smallest change by trying: one column after the other, then two and three; for every kind of model.

The model is a black box here: changed copies of a row are predicted, and those that get another class are made smaller.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.counterfactual.strategy import MOST_TRIED, Found, Question, Variants
from vaglio.model.families import KINDS

# Changed copies tried in one round for all rows together, by a model as fast as one tree: a second or two of work.
PATIENCE = 400_000
# Values tried in one column of one row: between two of so many quantiles lie two percent of the training rows.
_MOST_VALUES = 48
# Halvings of the way to the nearest value that flips: 2^-14 of the way is below what a rounded number shows.
_HALVINGS = 14
# Columns changed together: a longer change is not read as a reason any more.
_MOST_COLUMNS = 8
# Of the columns that flip a row alone, how many nearest ones are made as small as can be: the order may still change.
_FINALISTS = 3
# Cells of all copies of one round.
_MOST_CELLS = 40_000_000


def search(question: Question, rows: np.ndarray, patience: int | None = None) -> Found:
    """Return the smallest change found for each of the rows, where there is one.

    Parameters
    ----------
    question : Question
    rows : int64
        Which rows of the question.
    patience : int, optional
        How many changed copies may be tried for all rows together in one round; by default as many as the cost of a
        prediction by this kind of model allows.
    """
    if patience is None:
        kind = KINDS.get(question.model.kind)
        patience = PATIENCE // (1 if kind is None else kind.cost)
    patience = min(patience, _MOST_CELLS // max(1, question.matrix.n_features))
    fixed = Variants(rows, np.empty((len(rows), 0), np.int64), np.empty((len(rows), 0)))
    found: Found = {}
    # Where not even every column can be tried, a long way of many changes is not worth its cost.
    rounds = _MOST_COLUMNS if question.matrix.n_features <= MOST_TRIED else 3
    for _ in range(rounds):
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
    words = (
        _leaving_out(question, fixed, patience) if question.matrix.sparse is not None or question.matrix.text else None
    )
    if question.matrix.sparse is not None:
        assert words is not None
        return words
    # Every column is tried with two values at least, however many rows and columns there are: patience bounds the rest.
    most = int(min(_MOST_VALUES, max(2, patience / max(1, len(fixed)) / max(1, len(question.columns)))))
    grids = [question.ruler.candidates(j, most) for j in question.columns]
    feature = np.repeat(np.array(question.columns, dtype=np.int64), [len(grid) for grid in grids])
    value = np.concatenate(grids) if grids else np.empty(0)
    each = np.repeat(np.arange(len(fixed)), len(feature))
    tried = fixed.take(each).also(np.tile(feature, len(fixed)), np.tile(value, len(fixed)))
    now = question.encoded[tried.row, tried.feature[:, -1]]
    fresh = (tried.value[:, -1] != now) & (tried.feature[:, :-1] != tried.feature[:, -1:]).all(axis=1)
    tried = tried.take(np.flatnonzero(fresh))
    return tried if words is None else tried.joined(words)


def _leaving_out(question: Question, fixed: Variants, patience: int) -> Variants:
    """Copies of sparse rows without one entry, of documents without one word."""
    entries = []
    share = max(8, patience // max(1, len(fixed)))
    for i, row in enumerate(fixed.row.tolist()):
        before = fixed.changes(i)
        options = [option for option in _parts_of(question.matrix, row) if option not in before]
        entries += [(row, [*before, option]) for option in options[:share]]
    return Variants.of_lists(entries, fixed.feature.shape[1] + 1)


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
    # Every word of a text is a change of its own.
    is_text = np.array([f.kind == "text" for f in question.context.features])[feature]
    first = np.r_[True, (row[1:] != row[:-1]) | (feature[1:] != feature[:-1]) | is_text[1:]]
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
    finalists = fewer(question, finalists)
    for k in reversed(range(finalists.feature.shape[1])):
        finalists = _closer(question, finalists, k)
    count = (finalists.feature >= 0).sum(axis=1)
    order = np.lexsort((question.distance(finalists), count, finalists.row))
    row = finalists.row[order]
    return finalists.take(order[np.r_[True, row[1:] != row[:-1]]])


def fewer(question: Question, variants: Variants) -> Variants:
    """Take back every change that is not needed, the first ones first."""
    for k in range(variants.feature.shape[1] if variants.feature.shape[1] > 1 else 0):
        feature = variants.feature.copy()
        feature[:, k] = -1
        without = Variants(variants.row, feature, variants.value)
        needless = (variants.feature[:, k] >= 0) & (feature >= 0).any(axis=1) & question.flips(without)
        variants = Variants(variants.row, np.where(needless[:, None], feature, variants.feature), variants.value)
    return variants


def _closer(question: Question, variants: Variants, k: int) -> Variants:
    """Halve the way between what the row has and a number that flips it, again and again; then round."""
    j = variants.feature[:, k]
    now = question.encoded[variants.row, j]
    numeric = np.array([f.in_numeric_block for f in question.context.features])
    moving = (
        np.flatnonzero((j >= 0) & numeric[j] & ~np.isnan(now)) if question.matrix.sparse is None else np.empty(0, int)
    )
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
    # Rounding may step over where a readable value stood already: that one is kept if it is nearer.
    proper = np.array([question.ruler.is_proper(int(f), v) for f, v in zip(part.feature[:, k], part.value[:, k])])
    nearer = proper & (np.abs(part.value[:, k] - now[moving]) < np.abs(best - now[moving]))
    best[nearer] = part.value[nearer, k]
    changed = variants.value.copy()
    changed[moving, k] = best
    return Variants(variants.row, variants.feature, changed)


def _most_helpful(question: Question, tried: Variants) -> Variants:
    """For each row the change that shortened its lead most, to go on from; none if nothing did."""
    if not len(tried):
        return tried
    lead = np.concatenate(
        [_leads(question.model, part.of(question.matrix), question.codes[part.row]) for part in question.batches(tried)]
    )
    order = np.lexsort((question.distance(tried), lead, tried.row))
    row = tried.row[order]
    first = order[np.r_[True, row[1:] != row[:-1]]]
    chosen = tried.take(first)
    before = Variants(chosen.row, chosen.feature[:, :-1], chosen.value[:, :-1])
    start = _leads(question.model, before.of(question.matrix), question.codes[chosen.row])
    return chosen.take(np.flatnonzero(lead[first] < start))


def _leads(model: Any, matrix: EncodedMatrix, codes: np.ndarray) -> np.ndarray:
    """Return by how much each row's class leads the best other one: a change that helps makes the lead smaller."""
    values = _values_per_class(model, matrix)
    rows = np.arange(len(codes))
    others = values.copy()
    others[rows, codes] = -np.inf
    with np.errstate(invalid="ignore"):
        lead = values[rows, codes] - others.max(axis=1)
    return np.where(np.isnan(lead), np.inf, lead)


def _values_per_class(model: Any, matrix: EncodedMatrix) -> np.ndarray:
    """Return one number per class, larger for the likelier."""
    # Where probabilities saturate at 0 and 1, scores and logarithms still tell two changes apart.
    for method in ("class_scores", "predict_log_proba"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(matrix))
    return np.asarray(model.predict_proba(matrix))


def smaller(question: Question, first: Found, second: Found) -> Found:
    """Return of two changes of each row the one of fewer columns, then the nearer one.

    Parameters
    ----------
    question : Question
    first, second : dict of row to changes
        Found in two ways.
    """
    both = sorted(first.keys() & second.keys())
    far = [
        question.distance(Variants.of_lists([(row, found[row]) for row in both])) if both else np.empty(0)
        for found in (first, second)
    ]
    chosen = {**first, **second}
    for row, one, other in zip(both, *far):
        if (len(first[row]), one) <= (len(second[row]), other):
            chosen[row] = first[row]
    return chosen
