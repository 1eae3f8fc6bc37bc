"""Free text as a bag of words: the vocabulary of the training rows, and how often each of its words occurs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse as sp


def learn_vocabulary(strings: Iterable[str | None]) -> tuple[str, ...]:
    """Return the words of the training documents in alphabetical order.

    Words are those of scikit-learn's CountVectorizer: lower case, at least two letters or digits.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    split = CountVectorizer().build_analyzer()
    return tuple(sorted({word for text in strings if text is not None for word in split(text)}))


def count_words(strings: np.ndarray, vocabulary: Sequence[str]) -> sp.csr_array:
    """Return how often each word of the vocabulary occurs in each document, shape (n, W).

    A missing document has no words; words that are not in the vocabulary are not counted.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    if not vocabulary:
        return sp.csr_array((len(strings), 0), dtype=np.float64)
    vectorizer = CountVectorizer(vocabulary=list(vocabulary), dtype=np.float64)
    return sp.csr_array(vectorizer.transform(["" if text is None else text for text in strings]))
