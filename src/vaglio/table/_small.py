"""Small tables of words and numbers that are no data, such as the costs of errors, read as leniently as data."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import numpy as np

from vaglio.errors import ReadError
from vaglio.table._numerals import INFINITE, read_numerals
from vaglio.table.readers.capacity import Limits

__all__ = ["read_words", "words_as_numbers"]


def read_words(path: str | os.PathLike[str]) -> tuple[list[list[str]], str | None]:
    """Return the cells of a delimited file as words, and the decimal mark that its numbers show; none of an empty file.

    Parameters
    ----------
    path : path-like
    """
    from vaglio.table.readers.csv import split_words
    from vaglio.table.readers.source import open_source, to_utf8

    with open(path, "rb") as file:
        if not file.read().strip():
            return [], None
    source = open_source(path, Limits())
    text = to_utf8(source)
    if b"\0" in bytes(text):
        raise ReadError("bytes-not-text", "{name} is not text.", name=source.name)
    return split_words(text)


def words_as_numbers(words: Sequence[str], decimal: str | None) -> np.ndarray:
    """Return words as numbers, with thousands, units and currency signs as in a column; NaN where a word is none.

    An infinite number is one, so that it can be refused as what it is.

    Parameters
    ----------
    words : sequence of str
        Without blanks around them.
    decimal : {".", ","} or None
        The decimal mark, if it is known.

    Examples
    --------
    >>> words_as_numbers(["1.200,50 €", "0", "-"], ",").tolist()
    [1200.5, 0.0, nan]
    """
    values: np.ndarray = read_numerals(words, np.ones(len(words)), decimal).values.copy()
    for at in np.flatnonzero(np.isnan(values)).tolist():
        if re.fullmatch(INFINITE, words[at]):
            values[at] = float(words[at])
    return values
