"""Words, counts and lists of names as parts of a sentence, and suggestions for a misspelled name.

Every message of the package is built with these functions, so that the same mistake reads the same way everywhere.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import Any

from vaglio.messages.message import MOST_NAMES, Listing, Message, join, text

__all__ = ["clip", "did_you_mean", "listed", "near_names", "plural"]

# Comparing longer names, or more of them, takes longer than a person waits for a suggestion.
_LONGEST_COMPARED = 100
_MOST_COMPARED = 20_000
# More suggestions than this are a list to read again, and no help.
_MOST_SUGGESTIONS = 3


def clip(words: Any, most: int = 60) -> str:
    """Return a text of at most so many characters, on one line.

    >>> clip("a very long name", 8), clip("short")
    ('a very …', 'short')
    """
    line = " ".join(str(words).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def plural(n: int, noun: str) -> Message:
    """Return a number and its noun.

    >>> plural(1, "class"), plural(2000, "row"), plural(3, "class")
    ('1 class', '2,000 rows', '3 classes')
    """
    return text(f"{{n:,}} {{n:{noun}|{noun}{'es' if noun.endswith('s') else 's'}}}", n=n)


def listed(names: Iterable[Any], most: int = MOST_NAMES, *, quoted: bool = False, last: str = "and") -> Listing:
    """Return names as a sentence lists them; when there are many, the first ones and how many more.

    Parameters
    ----------
    names : iterable
        What to list.
    most : int, default=12
        The number of names to show.
    quoted : bool, default=False
        Put each name in quotes, as for column names, which may contain spaces and commas.
    last : str, default="and"
        The word before the last name.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    >>> listed("abcdefgh", 2), listed(["a", "b"], quoted=True, last="or")
    ('a, b and 6 more', "'a' or 'b'")
    """
    return Listing(names, most, quoted=quoted, last=last)


def did_you_mean(
    word: str,
    known: Iterable[str],
    *,
    otherwise: str = "there are",
    quoted: bool = False,
    most: int = MOST_NAMES,
) -> Message:
    """Return the second half of "there is no …": the known names near a word, or all of them when none is near.

    Upper and lower case count as the same letter: ``SPECIES`` is near ``species``.

    Parameters
    ----------
    word : str
        What was written.
    known : iterable of str
        What could have been written.
    otherwise : str, default="there are"
        The words before the known names, used when none of them is near.
    quoted : bool, default=False
        Put each name in quotes.
    most : int, default=12
        The number of known names to show when none is near.

    Examples
    --------
    >>> did_you_mean("trian", ["train", "predict"])
    'did you mean train?'
    >>> did_you_mean("x", ["train", "predict"], otherwise="the commands are")
    'the commands are train and predict.'
    """
    names = list(known)
    near = near_names(word, names)
    if near:
        return text("did you mean {names}?", names=listed(near, quoted=quoted, last="or"))
    return join(" ", [otherwise, text("{names}.", names=listed(names, most, quoted=quoted))])


def near_names(word: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are spelled nearly like a word, the nearest first."""
    folded: dict[str, str] = {}
    if len(word) > _LONGEST_COMPARED:
        return []
    for name in islice((name for name in known if len(name) <= _LONGEST_COMPARED), _MOST_COMPARED):
        folded.setdefault(name.casefold(), name)
    return [folded[key] for key in difflib.get_close_matches(word.casefold(), folded, n=_MOST_SUGGESTIONS)]
