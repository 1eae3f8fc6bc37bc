"""From rows and a model to the smallest changes: the way of the model's kind where it has one, else the search.

Every way asks the same question: which copies of a row, with a few values changed, does the model give another class?
To the search the model is a black box: one column after the other is changed, then two and three, and the copies that
get another class are made smaller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.distance import Ruler
from vaglio.explanation.explanation import Change, Counterfactual, Explanation
from vaglio.explanation.goal import Goal
from vaglio.model.base import class_codes
from vaglio.model.families import KINDS, Lookup

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = [
    "PATIENCE",
    "Found",
    "Question",
    "Variants",
    "changes",
    "cuts",
    "fewer",
    "find_counterfactuals",
    "search",
    "smaller",
]

# Cells given to the model at once: 32 MB of numbers.
_BATCH = 4_000_000
# Of a very wide table, columns tried: those the explanation names first.
MOST_TRIED = 200
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
# Of so many changes, every selection is tried: 62 of six.
_MOST_SELECTED = 6
# Cells of all copies of one round.
_MOST_CELLS = 40_000_000

# The smallest change of each row that has one: which columns become what.
Found = dict[int, list[tuple[int, float]]]

# Kind of model -> the smallest change that gives a row another class, where the structure of the model shows a way that
# is better or faster than the search that serves every kind.
changes: Lookup[Callable[[Question, np.ndarray], Found]] = Lookup(lambda family: family.counterfactual)

# Kind of model -> the numbers at which a model made of thresholds changes its decision, by feature.
cuts: Lookup[Callable[[Any, Context], dict[int, Sequence[float]]]] = Lookup(lambda family: family.cuts)


def find_counterfactuals(
    model: Model, matrix: EncodedMatrix, context: Context, explanations: Sequence[Explanation] = ()
) -> list[Counterfactual | None]:
    """Return for each row the smallest change found that gives it another class, or moves its number far enough.

    None stands where none was found.

    Parameters
    ----------
    model : Model
    matrix : EncodedMatrix
        The rows.
    context : Context
    explanations : sequence of Explanation
        Of the rows: of a very wide table, columns they name are tried first.
    """
    if not matrix.n_rows or (context.classes is not None and len(context.classes) < 2):
        return [None] * matrix.n_rows
    cuts_of = cuts.find(model.kind)
    ruler = Ruler(context, None if cuts_of is None else cuts_of(model, context))
    goal, decided = None, np.zeros(matrix.n_rows, np.int64)
    if context.classes is None:
        goal = context.move.goal(np.asarray(model.predict(matrix)))  # type: ignore[attr-defined]
    else:
        decided = class_codes(model, matrix, context.cost, calibration=context.calibration)
    place = {feature.name: j for j, feature in enumerate(context.features)}
    said = (reason.feature for e in explanations for reason in (*e.reasons, *e.against))
    named = tuple(dict.fromkeys(place[name] for name in said if name is not None))
    question = Question(model, matrix, decided, ruler, named, goal)
    found = fewest(question, _changeable(question, changes.find(model.kind)))
    # Every change is checked by the model: one that does not give another class is dropped.
    changed = Variants.of_lists([(row, found[row]) for row in sorted(found)])
    become = dict(zip(changed.row.tolist(), question.ask(changed).tolist()))
    numbers = {} if goal is None else dict(zip(changed.row.tolist(), question.predicted(changed).tolist()))
    far = dict(zip(changed.row.tolist(), question.distance(changed).tolist()))
    return [
        Counterfactual(
            tuple(_change(question, row, j, value) for j, value in found[row]),
            context.label(become[row]) if goal is None else numbers[row],
            round(far[row], 6),
            None if goal is None else goal.in_words(row, numbers[row]),
        )
        if row in found and become[row] != decided[row] and not _writes_a_text(question, row, found[row])
        else None
        for row in range(matrix.n_rows)
    ]


def _changeable(question: Question, ways: Callable[[Question, np.ndarray], Found] | None) -> Found:
    """The smallest changes by the way of the family; where they touch what cannot change, by the search for all."""
    rows, kept = np.arange(question.matrix.n_rows), question.context.unchangeable
    found = (ways or search)(question, rows)
    touched = {row for row, changed in found.items() if any(j in kept for j, _ in changed)}
    if not touched:
        return found
    others = search(question, np.array(sorted(touched), dtype=np.int64))
    return {row: changed for row, changed in found.items() if row not in touched} | others


def _writes_a_text(question: Question, row: int, changed: list[tuple[int, float]]) -> bool:
    """Whether a word is told of a text that is missing: the other words would then be known as well."""
    features = question.context.features
    return any(features[j].word is not None and np.isnan(question.encoded[row, j]) for j, _ in changed)


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
    goal : Goal or None
        Of predicted numbers: what every row is to reach. Rows that do are of code 1, the others of code 0.
    """

    model: Any
    matrix: EncodedMatrix
    codes: np.ndarray
    ruler: Ruler
    first: tuple[int, ...] = ()
    goal: Goal | None = None

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
        """Return the class of each changed copy; of a number, whether it reaches its goal."""
        if self.goal is not None:
            return self.goal.reached(variants.row, self.predicted(variants)).astype(np.int64)
        cost, calibration = self.context.cost, self.context.calibration
        parts = [
            class_codes(self.model, part.of(self.matrix), cost, calibration=calibration)
            for part in self.batches(variants)
        ]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def predicted(self, variants: Variants) -> np.ndarray:
        """Return the number of each changed copy."""
        parts = [np.asarray(self.model.predict(part.of(self.matrix))) for part in self.batches(variants)]
        return np.concatenate(parts) if parts else np.empty(0)

    def lead(self, variants: Variants) -> np.ndarray:
        """Return how far each copy is from another class, or from its goal: a change that helps makes it smaller."""
        if self.goal is not None:
            return self.goal.missed_by(variants.row, self.predicted(variants))
        codes = self.codes[variants.row]
        return _leads(self.model, variants.of(self.matrix), codes)

    def batches(self, variants: Variants) -> Iterator[Variants]:
        """Parts of the copies, each small enough to be made at once."""
        size = max(64, _BATCH // max(1, self.matrix.n_features))
        for start in range(0, len(variants), size):
            yield variants.take(np.arange(start, min(start + size, len(variants))))

    @cached_property
    def columns(self) -> list[int]:
        """The columns whose values are tried."""
        others = [j for j in range(self.matrix.n_features) if j not in set(self.first)]
        kept = self.context.unchangeable
        return sorted([j for j in (*self.first, *others) if j not in kept][:MOST_TRIED])

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


# -- the search ------------------------------------------------------------------------------------------------------
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
    if words is not None and question.context.unchangeable:
        words = words.take(np.flatnonzero(~np.isin(words.feature[:, -1], list(question.context.unchangeable))))
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


def fewest(question: Question, found: Found) -> Found:
    """Return for each row the fewest of its changes that give it another class, and of as few the nearest.

    What one change needs may be what another makes needless, so that changes are not taken back one by one. Where there
    are too many for that, all selections of all but one are tried, again and again.
    """
    kept = dict(found)
    open_ = [row for row, changed in found.items() if len(changed) > 1]
    while open_:
        selected = [(row, list(part)) for row in open_ for part in _selections(kept[row])]
        variants = Variants.of_lists(selected)
        flipped, far = question.flips(variants), question.distance(variants)
        best: dict[int, tuple[int, float, list[tuple[int, float]]]] = {}
        for (row, part), flips, distance in zip(selected, flipped.tolist(), far.tolist()):
            if flips and (row not in best or (len(part), distance) < best[row][:2]):
                best[row] = len(part), distance, part
        kept |= {row: part for row, (_, _, part) in best.items()}
        open_ = [row for row in best if len(found[row]) > _MOST_SELECTED and len(kept[row]) > 1]
    return kept


def _selections(changed: list[tuple[int, float]]) -> Iterator[tuple[tuple[int, float], ...]]:
    """Yield selections of fewer changes: all, or those of all but one."""
    least = 1 if len(changed) <= _MOST_SELECTED else len(changed) - 1
    return chain.from_iterable(combinations(changed, size) for size in range(least, len(changed)))


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
    lead = np.concatenate([question.lead(part) for part in question.batches(tried)])
    order = np.lexsort((question.distance(tried), lead, tried.row))
    row = tried.row[order]
    first = order[np.r_[True, row[1:] != row[:-1]]]
    chosen = tried.take(first)
    before = Variants(chosen.row, chosen.feature[:, :-1], chosen.value[:, :-1])
    start = question.lead(before)
    return chosen.take(np.flatnonzero(lead[first] < start))


def _leads(model: Model, matrix: EncodedMatrix, codes: np.ndarray) -> np.ndarray:
    """Return by how much each row's class leads the best other one: a change that helps makes the lead smaller."""
    # Where probabilities saturate at 0 and 1, scores and logarithms still tell two changes apart.
    methods = (getattr(model, name, None) for name in ("class_scores", "predict_log_proba", "predict_proba"))
    values = np.asarray(next(method for method in methods if method is not None)(matrix))
    rows = np.arange(len(codes))
    others = values.copy()
    others[rows, codes] = -np.inf
    with np.errstate(invalid="ignore"):
        lead = values[rows, codes] - others.max(axis=1)
    return np.where(np.isnan(lead), np.inf, lead)


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
