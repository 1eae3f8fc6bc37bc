"""The different words of a column: matched against patterns, and those that mean "no value".

RE2 (in Arrow) reads a word ten times faster than `re`, but compiles the pattern in every call, which takes as long as
hundreds of words: a table of thousands of short columns would do nothing else. The patterns are written so that both
engines read them alike: no look-ahead, ``^`` and ``$`` around the whole pattern, ASCII digits and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio import _core
from vaglio.table._column import Column

# Up to so many words `re` is the faster one.
FEW = 256
# What programs write for a missing value. An empty cell, NA, NaN, null and ? are so usual that nobody needs to hear of
# them; of every other word a remark says that it was taken for a missing value.
USUAL = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A")
# What people write in any column, in English, Italian, German, French and Spanish; and what spreadsheets write.
MISSING = (
    *USUAL,
    *("-", ".", "–", "—", "--", "---", "..", "...", "…", "??", "???", "n/a", "n.a.", "N.A.", "<NA>"),
    *("n.d.", "N.D.", "n/d", "N/D", "n.p.", "N.P.", "k.A.", "k. A.", "K.A.", "k.a.", "n.v."),
    *("s/d", "S/D", "s.d.", "S.D.", "n.c.", "N.C.", "n.r.", "N.R.", "#N/D", "#NV", "#N/V", "#VALUE!", "#VALORE!"),
    *("#WERT!", "#VALEUR!", "#¡VALOR!", "#DIV/0!", "#REF!", "#RIF!", "#BEZUG!", "#NUM!", "#ZAHL!"),
    *("#NAME?", "#NOME?", "#NULL!"),
)  # fmt: skip
# In lower case. They may be values of a column of words (ND is North Dakota), and cannot be a number or a date.
NO_NUMBER = frozenset(
    ("na", "nan", "nd", "n d", "nc", "np", "nr", "nv", "sd", "ka", "ns", "none", "nil", "null", "missing", "unknown",
     "unk", "undefined", "not available", "not applicable", "not known", "not reported", "no data", "tbd", "tba",
     "non disponibile", "non pervenuto", "non rilevato", "non noto", "non dichiarato", "dato mancante", "mancante",
     "sconosciuto", "ignoto", "nessun dato", "assente", "keine angabe", "keine angaben", "nicht verfügbar", "fehlt",
     "unbekannt", "nicht bekannt", "fehlend", "non disponible", "non renseigné", "inconnu", "manquant", "absent",
     "sin datos", "sin dato", "no disponible", "no consta", "desconocido", "faltante", "vacío", "leer", "vuoto", "vide",
     "empty", "blank")
)  # fmt: skip
_SIGNS = frozenset(("-", "–", "—", "--", "---", ".", "..", "..."))
_SIGN = re.compile(r"[-+−–±.]+")
_TWO_LETTERS = re.compile(r"[A-Z]{2}")
_INITIALS = re.compile(r"[A-Z]\.[A-Z]\.")
# So many other two-letter codes, and NA is one of them; a single one in a column of provinces or countries, where NA is
# Naples or Namibia.
_MANY_CODES = 5
_OF_PLACES = re.compile(
    r"(?:^|[\W_])(?:prov|province|provincia|country|country_?code|nation|iso_?2?|iso_?code|paese|pays|país|land|sigla|targa)$"
    r"|[a-z](?:Country|Province|CountryCode)$",
    re.IGNORECASE,
)
# A spreadsheet writes ="007" to keep a cell from becoming the number 7.
_FORMULA = re.compile(r'="(.*)"', re.DOTALL)


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


class Tidied(NamedTuple):
    """A column without the words that mean "no value".

    Attributes
    ----------
    column : Column
    taken : dict
        Each unusual word that was taken for a missing value -> its number of cells.
    spared : list of str
        The words of our list that are values here.
    """

    column: Column
    taken: dict[str, int]
    spared: list[str]


def plain_word(word: str) -> str:
    """Return a word without blanks around it, and without the formula of a spreadsheet that holds it as text.

    Parameters
    ----------
    word : str

    Examples
    --------
    >>> from vaglio.table import plain_word
    >>> plain_word(' ="007" '), plain_word("a b ")
    ('007', 'a b')
    """
    word = word.strip()
    held = _FORMULA.fullmatch(word) if word.startswith('="') else None
    return held[1].strip() if held else word


def is_no_number(word: str) -> bool:
    """Return whether a word says, in a column of numbers or dates, that there is no value.

    >>> is_no_number("Keine Angabe"), is_no_number("€ -"), is_no_number("- kg"), is_no_number("no")
    (True, True, True, False)
    """
    if word.casefold() in NO_NUMBER:
        return True
    # A dash in place of the number, beside a currency sign or a unit.
    ends = word.split(maxsplit=1)
    return len(ends) == 2 and (ends[0] in _SIGNS or ends[1] in _SIGNS) and not any(map(str.isdigit, word))


def tidy(column: Column, missing: Sequence[str], keep: Collection[str] | None = None) -> Tidied:
    """Remove blanks around words and make the words of `missing` missing; declared categories are kept.

    Parameters
    ----------
    column : Column
    missing : sequence of str
        Words that mean "no value".
    keep : collection of str, optional
        Words among them that are values of this column; if they are not given, the other words show some.
    """
    if column.kind != "nominal" or column.declared or not all(isinstance(value, str) for value in column.categories):
        return Tidied(column, {}, [])
    cleaned = [plain_word(value) for value in column.categories]
    absent = set(missing).intersection(cleaned)
    # Words of our list that are values here: - beside +, and NA among codes of two letters.
    spared: set[str] = set()
    others = set(cleaned) - absent
    if keep is None and any(_SIGN.fullmatch(word) for word in others):
        spared |= _SIGNS & absent
    fewest = 1 if _OF_PLACES.search(column.name) else _MANY_CODES
    if keep is None and "NA" in absent and len(others) >= fewest:
        spared |= {"NA"} if all(_TWO_LETTERS.fullmatch(word) for word in others) else set()
    # N.C. and N.D. are states of America beside S.C. and N.Y.
    if keep is None and sum(_INITIALS.fullmatch(word) is not None for word in others) > 1:
        spared |= {word for word in absent if _INITIALS.fullmatch(word)}
    # Words that the user adds to our list mean what the user says.
    spared -= set(missing[len(MISSING) :]) if tuple(missing[: len(MISSING)]) == MISSING else set(missing)
    absent -= {*(keep or ()), *spared}
    if cleaned == list(column.categories) and not absent:
        return Tidied(column, {}, sorted(spared))
    kept = sorted(set(cleaned) - absent)
    code_of = {value: code for code, value in enumerate(kept)}
    lookup = np.array([*(code_of.get(value, -1) for value in cleaned), -1], dtype=np.int32)
    taken: dict[str, int] = {}
    if unusual := absent.difference(USUAL):
        for value, count in zip(cleaned, word_counts(column).tolist()):
            if value in unusual and count:
                taken[value] = taken.get(value, 0) + count
    return Tidied(column.replace(data=lookup[column.data], categories=tuple(kept)), taken, sorted(spared))


def word_counts(column: Column) -> np.ndarray:
    """Return the number of cells of each category."""
    return _core.count_codes(np.ascontiguousarray(column.data), len(column.categories))[1:]
