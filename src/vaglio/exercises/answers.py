"""What a student may write, and whether it is right: numbers in any usual form, words, and sets of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from vaglio.document.notation import Notation

__all__ = ["Answer", "Number", "Word", "Words", "read_number"]

# A number as people write it: 0.5 or 0,5, 1/3, 25 %, 2e-3. The lengths are bounded: no answer takes long to read.
_DECIMAL = r"\d{1,20}(?:[.,]\d{0,20})?|[.,]\d{1,20}"
_NUMBER = re.compile(rf"([-+]?)\s*({_DECIMAL})(?:e([-+]?\d{{1,2}}))?(?:\s*/\s*({_DECIMAL}))?\s*(%?)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]+")


def read_number(text: str) -> Fraction | None:
    """Return what a student has written as an exact number; None if it is no number.

    >>> read_number("9/14"), read_number(" 0,25 "), read_number("−12.5 %"), read_number("about 3")
    (Fraction(9, 14), Fraction(1, 4), Fraction(-1, 8), None)
    """
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").replace("⁄", "/").strip().lstrip("=≈ ")
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return None
    sign, above, power, below, percent = found.groups()
    value = Fraction(_point(above)) * Fraction(10) ** int(power or 0)
    if below:
        divisor = Fraction(_point(below))
        if not divisor:
            return None
        value /= divisor
    return (-value if sign == "-" else value) / (100 if percent else 1)


def _point(decimal: str) -> str:
    return f"0{decimal.replace(',', '.')}0" if not decimal.isdigit() else decimal


def _plain(word: str) -> str:
    """A word without case, accents, quotes and spaces, which nobody should lose a point for."""
    spread = unicodedata.normalize("NFKD", word.casefold())
    return re.sub(r"[\s\"'`“”«»_]", "", "".join(sign for sign in spread if not unicodedata.combining(sign)))


@dataclass(frozen=True)
class Number:
    """A number, right to its last decimal: one unit of it is allowed for rounding on the way.

    Attributes
    ----------
    value : Fraction or float
    digits : int
        The decimals that are asked for; 0 for integers, which must be exact.
    """

    value: Fraction | float
    digits: int = 3

    def accepts(self, text: str) -> bool:
        """Return whether this is the number."""
        given = read_number(text)
        if given is None:
            return False
        allowed = Fraction(1, 10**self.digits) if self.digits else Fraction(0)
        return abs(given - Fraction(self.value)) <= allowed * Fraction(1_000_001, 1_000_000)

    def written(self, say: Notation) -> str:
        """Return the right answer."""
        shown = say.fixed(float(self.value), self.digits)
        if isinstance(self.value, Fraction) and 1 < self.value.denominator <= 10_000:
            return f"{self.value} = {shown}".replace("-", "−")
        return shown


@dataclass(frozen=True)
class Word:
    """A word, such as the name of an attribute or a class.

    Attributes
    ----------
    value : str
    others : tuple of str
        Further words that are right.
    """

    value: str
    others: tuple[str, ...] = ()

    def accepts(self, text: str) -> bool:
        """Return whether this is the word; case, accents, quotes and spaces do not count."""
        return _plain(text) in {_plain(word) for word in (self.value, *self.others)}

    def written(self, say: Notation) -> str:
        """Return the right answer."""
        return self.value


@dataclass(frozen=True)
class Words:
    """Several words or row numbers in any order, such as the support vectors.

    Attributes
    ----------
    values : frozenset of str
    """

    values: frozenset[str]

    @classmethod
    def of(cls, values: Iterable[object]) -> Words:
        """Return them as words."""
        return cls(frozenset(str(value) for value in values))

    def accepts(self, text: str) -> bool:
        """Return whether these are the words: separated by spaces, commas or semicolons, in any order."""
        given = {_plain(word) for word in _BETWEEN.split(text.strip(" ,;{}()[]")) if word}
        return given == {_plain(word) for word in self.values}

    def written(self, say: Notation) -> str:
        """Return the right answer."""
        return ", ".join(sorted(self.values, key=lambda word: (len(word), word)))


Answer = Number | Word | Words
