"""Columns of a model found in a later table whose names are written otherwise, and columns that the user renames."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from vaglio.errors import ColumnError, DataWarning, InputError, warn
from vaglio.messages.message import join, text
from vaglio.messages.options import renaming
from vaglio.messages.sentences import did_you_mean, listed

__all__ = ["by_column", "folded", "likeliest", "matching_columns", "note_matches", "renamed"]

_Known = TypeVar("_Known")
# Accents over letters of Latin, Greek and Cyrillic script; marks of other scripts are letters of their own.
_ACCENTS = re.compile("[\u0300-\u036f]")
# What separates words of a name; between two digits it separates numbers (2024_1 is not 20241).
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s_.'’`´-]+(?=\d)")
_SEPARATORS = re.compile(r"[\s_.'’`´-]+")
_MARK = "\0"
# So alike are two ways to write one name, as Python counts it.
_NEAR = 0.6


def folded(name: str) -> str:
    """Return a name without case, accents, blanks, underscores, hyphens, points and apostrophes.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> folded("Età media") == folded("ETA'_MEDIA") == "etamedia"
    True
    >>> folded("2024_1") == folded("20241")
    False
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold())
    return _SEPARATORS.sub("", _BETWEEN_DIGITS.sub(_MARK, plain))


def matching_columns(wanted: Iterable[str], given: Iterable[str]) -> dict[str, str]:
    """Return the column of a table for each name that is wanted, where there is one: wanted name -> name in the table.

    An equal name comes first. Others match if they differ in case, accents, blanks and the like only; two that could be
    meant are refused.

    Parameters
    ----------
    wanted : iterable of str
        Columns of the model, or of the first table.
    given : iterable of str
        Columns of the table.
    """
    wanted, given = list(wanted), list(given)
    present = set(given)
    absent = [name for name in wanted if name not in present]
    found = {name: name for name in wanted if name in present}
    if not absent:
        return found
    candidates: dict[str, list[str]] = defaultdict(list)
    wanting: dict[str, list[str]] = defaultdict(list)
    for name in given:
        if name not in found:
            candidates[folded(name)].append(name)
    for name in absent:
        wanting[folded(name)].append(name)
    for key, names in wanting.items():
        columns = candidates.get(key, []) if key else []
        if columns and len(columns) + len(names) > 2:
            raise ColumnError(
                "columns-match-ambiguously",
                "It is not clear which column {wanted} of the model {n:is|are}: {columns} could be meant. Set "
                "{option}.",
                n=len(names),
                wanted=listed(names, quoted=True),
                columns=listed(columns, quoted=True),
                option=renaming(columns[0], names[0]),
            )
        found |= dict(zip(names, columns))
    return {name: found[name] for name in wanted if name in found}


def likeliest(wanted: str, free: Sequence[str]) -> str | None:
    """Return the column that most likely is the one that is wanted; None if no name is near.

    Parameters
    ----------
    wanted : str
    free : sequence of str
        The columns it may be.

    Examples
    --------
    >>> likeliest("Reclami", ["customer", "N. reclami", "Recl.", "place"])
    'N. reclami'
    >>> likeliest("Reclami", ["customer", "place"]) is None
    True
    """
    name = folded(wanted)

    def nearness(column: str) -> tuple[bool, float]:
        other = folded(column)
        holds = len(min(name, other, key=len)) > 2 and (name in other or other in name)
        return holds, SequenceMatcher(None, name, other).ratio()

    best = max(free, key=nearness, default=None)
    return best if best is not None and nearness(best) >= (False, _NEAR) else None


def note_matches(matches: Mapping[str, str]) -> None:
    """Warn of columns that were found although their names are written otherwise.

    Parameters
    ----------
    matches : mapping
        The name that was wanted -> the name that was given.
    """
    pairs = [(given, wanted) for wanted, given in matches.items() if given != wanted]
    if pairs:
        told = [text("{given!r} is {wanted!r}", given=given, wanted=wanted) for given, wanted in pairs]
        warn(
            DataWarning(
                "columns-matched",
                "Columns matched although their names differ in case, accents, spaces or marks: {pairs}.",
                pairs=join(", ", told),
            )
        )


def by_column(known: Mapping[str, _Known], names: Iterable[str]) -> dict[str, _Known]:
    """Return what is known of columns by their names in a table, which may be written otherwise.

    Parameters
    ----------
    known : mapping
        Name -> what is known.
    names : iterable of str
        Columns of the table.
    """
    return {given: known[wanted] for wanted, given in matching_columns(known, names).items()}


def _check_renames(names: Sequence[str], rename: Mapping[str, str]) -> None:
    """Refuse to rename a column that is not there, unless its new name is, or into a name that is taken."""
    for old, new in rename.items():
        if old not in names and new not in names:
            raise InputError(
                "renamed-column-absent",
                "There is no column {column!r} to rename; {hint}",
                column=old,
                hint=did_you_mean(old, names, otherwise=text("it has"), quoted=True),
            )
    after = [rename.get(name, name) for name in names]
    twice = next((name for name in after if after.count(name) > 1), None) if len(set(after)) < len(after) else None
    if twice is not None:
        raise InputError(
            "renamed-to-taken-name",
            "Two columns would have the name {column!r}. Rename the other one, too.",
            column=twice,
        )


def renamed(names: Sequence[str], rename: Mapping[str, str] | None) -> list[str]:
    """Return the names of columns after some were renamed.

    Examples
    --------
    >>> renamed(["a", "b"], {"a": "c"})
    ['c', 'b']
    """
    if not rename:
        return list(names)
    _check_renames(names, rename)
    return [rename.get(name, name) for name in names]
