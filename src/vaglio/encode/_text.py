"""Free text as a bag of words: a vocabulary frozen at training, and word counts by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse as sp


def learn_vocabulary(strings: Iterable[str | None]) -> tuple[str, ...]:
    """Return the words of the training documents in alphabetical order.

    Words are what scikit-learn's CountVectorizer takes them to be: lower case, two letters or digits and more.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    split = CountVectorizer().build_analyzer()
    return tuple(sorted({word for text in strings if text is not None for word in split(text)}))


def count_words(strings: np.ndarray, vocabulary: Sequence[str]) -> sp.csr_array:
    """Return how often each word of the vocabulary occurs in each document, shape (n, W).

    A missing document counts nothing, and neither does a word the vocabulary does not have.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    if not vocabulary:
        return sp.csr_array((len(strings), 0), dtype=np.float64)
    vectorizer = CountVectorizer(vocabulary=list(vocabulary), dtype=np.float64)
    return sp.csr_array(vectorizer.transform(["" if text is None else text for text in strings]))
