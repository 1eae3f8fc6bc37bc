"""Words matched against patterns, by the engine that is the cheaper one for their number.

RE2 (in Arrow) reads a word ten times faster than `re`, but compiles the pattern in every call, which takes as long as
hundreds of words: a table of thousands of short columns would do nothing else. The patterns are written so that both
engines read them alike: no look-ahead, ``^`` and ``$`` around the whole pattern, ASCII digits and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Up to so many words `re` is the faster one.
FEW = 256


class Words:
    """The different words of a column.

    Parameters
    ----------
    words : sequence of str
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def arrow(self) -> pa.Array:
        """The words as an Arrow array."""
        return pa.array(self.words, pa.string())

    def match(self, pattern: str) -> np.ndarray:
        """Return which words contain the pattern.

        Parameters
        ----------
        pattern : str
        """
        if len(self.words) <= FEW:
            search = _compiled(pattern).search
            return np.array([search(word) is not None for word in self.words], dtype=bool)
        found: np.ndarray = pc.match_substring_regex(self.arrow, pattern).to_numpy(zero_copy_only=False)
        return found

    def count(self, pattern: str) -> np.ndarray:
        """Return how many times each word contains the pattern.

        Parameters
        ----------
        pattern : str
        """
        if len(self.words) <= FEW:
            found = _compiled(pattern).findall
            return np.array([len(found(word)) for word in self.words], dtype=np.int64)
        times: np.ndarray = pc.count_substring_regex(self.arrow, pattern).to_numpy(zero_copy_only=False)
        return times

    def parts(self, pattern: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return which words match, and for each named group of the pattern what it holds: "" where nothing matches.

        Parameters
        ----------
        pattern : str
        """
        if len(self.words) <= FEW:
            compiled = _compiled(pattern)
            found = [compiled.search(word) for word in self.words]
            matched = np.array([match is not None for match in found], dtype=bool)
            part = {name: np.full(len(found), "", dtype=object) for name in compiled.groupindex}
            for at in np.flatnonzero(matched):
                for name, held in found[at].groupdict().items():  # type: ignore[union-attr]
                    part[name][at] = held
            return matched, part
        fields = pc.extract_regex(self.arrow, pattern)
        matched = pc.is_valid(fields).to_numpy(zero_copy_only=False)
        return matched, {each.name: fields.field(each.name).to_numpy(zero_copy_only=False) for each in fields.type}


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # In `re` a dollar also stands before a last line break.
    whole = pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
    return re.compile(whole, re.ASCII)
