"""Free text as a bag of words: the vocabulary of the training rows, how often each of its words occurs, and which words
tell most about the class, for learners that test single columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from scipy import sparse as sp
from scipy.special import xlogy

from vaglio.encode._feature import Feature, spelling
from vaglio.table import Column

# Words per text column that stand for it. Each is a column of codes: more of them take memory and time, and the words
# that tell little add noise to distances.
MOST_WORDS = 256


def learn_vocabulary(strings: Iterable[str | None]) -> tuple[str, ...]:
    """Return the words of the training documents in alphabetical order.

    Words are those of scikit-learn's CountVectorizer: lower case, at least two letters or digits.
    """
    return tuple(sorted({word for text in strings if text is not None for word in split_words(text)}))


def split_words(text: str) -> list[str]:
    """Return the words of a text."""
    return _analyzer()(text)


@cache
def _analyzer() -> Callable[[str], list[str]]:
    from sklearn.feature_extraction.text import CountVectorizer

    found: Callable[[str], list[str]] = CountVectorizer().build_analyzer()
    return found


def count_words(strings: np.ndarray, vocabulary: Sequence[str]) -> sp.csr_array:
    """Return how often each word of the vocabulary occurs in each document, shape (n, W).

    A missing document has no words; words that are not in the vocabulary are not counted.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    if not vocabulary:
        return sp.csr_array((len(strings), 0), dtype=np.float64)
    vectorizer = CountVectorizer(vocabulary=list(vocabulary), dtype=np.float64)
    return sp.csr_array(vectorizer.transform(["" if text is None else text for text in strings]))


def choose_words(counts: sp.csr_array, y: np.ndarray, weight: np.ndarray | None) -> list[int]:
    """Return the words whose presence tells most about y, the best first, at most ``MOST_WORDS``.

    Words of a single row tell nothing about others, unless no word is in two. Ties: the word of more rows, then the
    alphabet. Numbers are compared as below and above their median.

    Parameters
    ----------
    counts : csr_array, shape (n, W)
    y : class codes, or numbers
    weight : row weights, or None
    """
    present = (counts > 0).astype(np.float64)
    rows = np.asarray(present.sum(axis=0)).ravel()
    classes = y > np.median(y) if y.dtype.kind == "f" else y
    share = np.ones(len(y)) if weight is None else weight
    of_class = sp.csr_array((share, (classes.astype(np.int64), np.arange(len(y)))))
    inside = (of_class @ present).toarray()
    outside = np.asarray(of_class.sum(axis=1)).reshape(-1, 1) - inside
    # Bits that remain: the less, the more the word tells.
    remain = sum(
        xlogy(part, part).sum(axis=0) - xlogy(part.sum(axis=0), part.sum(axis=0)) for part in (inside, outside)
    )
    candidates = np.flatnonzero(rows > 1) if (rows > 1).any() else np.flatnonzero(rows)
    order = np.lexsort((candidates, -rows[candidates], -np.round(remain[candidates], 9)))
    chosen: list[int] = candidates[order][:MOST_WORDS].tolist()
    return chosen


def contains_words(strings: np.ndarray, words: Sequence[str]) -> np.ndarray:
    """Return 1 where a document contains a word, 0 where it does not, -1 where it is missing; shape (n, words)."""
    codes = np.asfortranarray((count_words(strings, words) > 0).toarray().astype(np.int32))
    codes[[text is None for text in strings]] = -1
    return codes


def word_codes(strings: dict[str, np.ndarray], features: Sequence[Feature]) -> dict[str, np.ndarray]:
    """Return the codes of the features that are words, by their names."""
    found: dict[str, np.ndarray] = {}
    for column, texts in strings.items():
        words = [feature for feature in features if feature.word is not None and feature.column == column]
        codes = contains_words(texts, [feature.word[1] for feature in words if feature.word])
        found |= {feature.name: codes[:, j] for j, feature in enumerate(words)}
    return found


def strings_of(column: Column) -> np.ndarray:
    """Return the texts of a column of any kind; None is a missing one."""
    if column.kind == "text":
        return column.data
    if column.kind == "nominal":
        words: np.ndarray = np.array([*(str(value) for value in column.categories), None], dtype=object)[column.data]
        return words
    return np.array([None if np.isnan(value) else spelling(value) for value in column.data], dtype=object)
