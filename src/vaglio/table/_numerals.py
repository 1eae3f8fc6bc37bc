"""Numbers as people write them: marks of decimals and thousands of several countries, currency signs, units.

All words of a column are read in one way. A mark that could separate thousands as well as decimals (``1.234``) is
decided for the whole column, and ``Numerals.why`` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vaglio.messages.message import Message, text
from vaglio.table._words import Words, is_no_number

# As written -> the sign that is kept as the unit of the column.
CURRENCIES = {
    "€": "€", "EUR": "€", "Euro": "€", "euro": "€", "$": "$", "US$": "$", "USD": "$", "£": "£", "GBP": "£", "¥": "¥",
    "JPY": "¥", "CHF": "CHF", "Fr.": "CHF", "SFr.": "CHF", "₹": "₹", "INR": "₹", "kr": "kr", "zł": "zł", "PLN": "zł",
}  # fmt: skip
# Units that may follow a number without a blank. Others need the blank: 12A and 3D are codes, 12 pieces are a quantity.
UNITS = frozenset([
    "%", "‰", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz", "km", "m", "dm", "cm", "mm", "µm", "nm", "mi", "ft",
    "in", "yd", "ha", "m²", "m2", "m³", "m3", "cm²", "cm2", "cm³", "cm3", "mm²", "mm2", "km²", "km2", "mq", "mc", "l",
    "L", "dl", "cl", "ml", "mL", "hl", "°C", "°F", "°", "s", "sec", "ms", "min", "h", "hrs", "kWh", "MWh", "GWh",
    "Wh", "kW", "MW", "mA", "Hz", "kHz", "MHz", "GHz", "km/h", "m/s", "mph", "bar", "mbar", "hPa", "kPa", "Pa", "MPa",
    "kJ", "MJ", "cal", "kcal", "kB", "KB", "MB", "GB", "TB", "dB", "ppm", "ppb", "bpm", "mmHg", "mg/dl", "mg/dL",
    "mg/L", "mg/l", "g/l", "g/L", "mmol/l", "mmol/L", "U/L", "IU", "Mio", "Mrd", "CV", "hp", "PS", "kg/m²", "kg/m2",
    "x",
])  # fmt: skip
NUMBER = r"^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$"
# Digits that are no quantity: with a leading zero, or, among whole numbers, more of them than a float64 holds.
CODE, LONG = r"^0\d+$", r"^-?\d{16,}$"
# Numbers that show that the others are no codes.
DECIMALS = r"^[-+]?(\d+\.\d*|\.\d+|\d+[eE][-+]?\d+)([eE][-+]?\d+)?$"
INFINITE = r"^[-+]?(inf|Inf|INF|infinity|Infinity|INFINITY)$"
# A number with what may stand around it. The patterns are read by RE2, which has no look-ahead.
_LETTER = r"A-Za-zÀ-ɏµ°€$£¥₹%‰"
SHAPE = (
    r"^(?P<open>\(?)(?P<sign>[-+−–]?)[ ]?(?P<before>(?:€|EUR|US\$|\$|USD|£|GBP|¥|JPY|CHF|S?Fr\.|₹|INR)?)[ ]?"
    r"(?P<minus>[-−–]?)(?P<body>[0-9](?:[0-9.,' ]*[0-9])?[.,]?|[.,][0-9]+)(?P<power>(?:[eE][-+]?[0-9]+)?)"
    rf"(?P<gap> ?)(?P<after>(?:[{_LETTER}][{_LETTER}²³./]{{0,14}}[23]?(?: [{_LETTER}][{_LETTER}./]{{0,9}})?)?)"
    r"(?P<close>\)?)$"
)
# Group marks that go with each decimal mark, the usual one first.
_GROUPS = {".": (",", "'", " "), ",": (".", "'", " ")}
_NAMES = {
    ".": text("the point"),
    ",": text("the comma"),
    "'": text("the apostrophe"),
    " ": text("the space"),
}
# How a mark of two meanings was decided.
BY_OTHER_NUMBERS, BY_SMALL_NUMBERS, UNDECIDED = "other numbers", "small numbers", "?"
# So many different numbers in groups of three digits, beside shorter whole numbers, are no accident.
_MANY_GROUPS = 5
_MINUS = ("-", "−", "–")
_SIGNS_OF_MONEY = frozenset(CURRENCIES.values())
_BLANKS = {0xA0: " ", 0x2009: " ", 0x202F: " ", 0x2019: "'"}


def is_unit(word: str, spaced: bool) -> bool:
    """Return whether a word after a number is a unit.

    >>> is_unit("kg", False), is_unit("A1", True), is_unit("pezzi", True), is_unit("pezzi", False)
    (True, False, True, False)
    """
    if word in CURRENCIES or word in UNITS:
        return True
    return spaced and not any(letter.isdigit() for letter in word)


def unit_in_brackets(word: str) -> str:
    """Return the unit that a cell such as ``[kg]``, ``(kg)`` or ``kg`` of a second line of names holds; else "".

    >>> unit_in_brackets("(kg)"), unit_in_brackets("cm"), unit_in_brackets("weight")
    ('kg', 'cm', '')
    """
    bare = word.strip()
    if len(bare) > 2 and bare[0] + bare[-1] in ("()", "[]") and not bare[1:-1].strip().isdigit():
        return bare[1:-1].strip()
    return CURRENCIES.get(bare, bare) if is_unit(bare, False) else ""


@dataclass(frozen=True)
class Numerals:
    """The words of a column as numbers.

    Attributes
    ----------
    values : ndarray
        The number of each word; NaN where it is none.
    good : ndarray of bool
        Which words are numbers.
    absent : ndarray of bool
        Which words say, among numbers, that there is no value.
    unit : str
        The unit or currency of the numbers; "" if they have none.
    decimal, group : str
        The marks of decimals and thousands; "" if no number has such a mark.
    why : str
        How a mark of two meanings was decided, one of the constants above; "" if it had one meaning only.
    units : tuple of str
        All units that occur, the most frequent first.
    """

    values: np.ndarray
    good: np.ndarray
    absent: np.ndarray
    unit: str = ""
    decimal: str = ""
    group: str = ""
    why: str = ""
    units: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """The decimal mark by which later numbers are read; "" if these have no mark that shows it."""
        return self.decimal or {".": ",", ",": "."}.get(self.group, "")

    @property
    def doubtful(self) -> bool:
        """Whether nothing in the column itself tells thousands from decimals."""
        return self.why == UNDECIDED

    def marks(self) -> Message:
        """Return how the marks were read."""
        if not self.decimal:
            return text("{group} separates thousands", group=_NAMES[self.group])
        return text(
            "{group} separates thousands and {decimal} separates decimals",
            group=_NAMES[self.group],
            decimal=_NAMES[self.decimal],
        )

    def example(self, words: Sequence[str]) -> Message:
        """Return a word with thousands and the number it was read as."""
        at = next(at for at, word in enumerate(words) if self.good[at] and self.group in _one_blank(word))
        return text("{word!r} is {number:.12g}", word=_one_blank(words[at]), number=self.values[at])


def is_numeral(words: Sequence[str]) -> np.ndarray:
    """Return which words look like numbers, whatever their marks."""
    return _normal(words).match(SHAPE)


def read_numerals(words: Sequence[str], counts: np.ndarray, decimal: str | None = None) -> Numerals:
    """Read the different words of a column as numbers, all in the same way.

    Parameters
    ----------
    words : sequence of str
        The different words, without blanks around them.
    counts : ndarray
        How many cells hold each.
    decimal : {".", ","} or None
        The decimal mark, if it is known: it decides where the column itself does not.
    """
    parts = _Parts.of(words)
    unit, units = parts.units(counts)
    counted = np.where(parts.has_unit(unit), counts, 0)
    read = _marks(np.where(counted > 0, parts.body, ""), counted, decimal)
    values = parts.numbers(read.mark, unit)
    return replace(read, values=values, good=~np.isnan(values), absent=parts.absent, unit=unit, units=units)


def numbers_like(words: Sequence[str], decimal: str, unit: str) -> np.ndarray:
    """Return the numbers of words, each read by itself; NaN where a word is none.

    Parameters
    ----------
    words : sequence of str
        Without blanks around them.
    decimal : {".", ",", ""}
        The decimal mark. If it is not known (""), a word must have one meaning: ``1,5`` is 1.5 and ``1.234,5`` is
        1234.5, a point alone is a decimal mark, and ``1,234`` is no number.
    unit : str
        The unit that the numbers have, "" for none. Numbers without it have it, too, unless it is a percent sign.

    Examples
    --------
    >>> from vaglio.table._numerals import numbers_like
    >>> numbers_like(["1.234", "1,234", "1,5", "12 kg"], "", "").tolist()
    [1.234, nan, 1.5, nan]
    >>> numbers_like(["1.234", "1,234", "1,5", "12 kg"], ",", "kg").tolist()
    [1234.0, 1.234, 1.5, 12.0]
    """
    return _Parts.of(words).numbers(decimal, unit)


@dataclass(frozen=True)
class _Parts:
    """The words of a column, each cut into its number and what stands around it."""

    body: np.ndarray
    power: np.ndarray
    unit: np.ndarray
    negative: np.ndarray
    good: np.ndarray
    absent: np.ndarray

    @classmethod
    def of(cls, words: Sequence[str]) -> _Parts:
        absent = np.array([is_no_number(word) for word in words], dtype=bool)
        matched, part = _normal(words).parts(SHAPE)
        good = matched & ~absent
        good &= (part["open"] == "(") == (part["close"] == ")")
        good &= (part["sign"] == "") | (part["minus"] == "")
        # 2. Middle Atlantic is a name with its place in a list.
        good &= (
            (part["gap"] == "")
            | (part["after"] == "")
            | np.array([body[-1:] not in _NAMES for body in part["body"]], dtype=bool)
        )
        before, after = part["before"], part["after"]
        good &= (before == "") | (after == "")
        found = np.where(before == "", after, before).tolist()
        spaced = (part["gap"] == " ") | (before != "")
        good &= np.array([word == "" or is_unit(word, gap) for word, gap in zip(found, spaced.tolist())], dtype=bool)
        unit = np.array([CURRENCIES.get(word, word) for word in found], dtype=object)
        negative = np.isin(part["sign"], _MINUS) | np.isin(part["minus"], _MINUS) | (part["open"] == "(")
        return cls(np.where(good, part["body"], ""), part["power"], unit, negative, good, absent)

    def units(self, counts: np.ndarray) -> tuple[str, tuple[str, ...]]:
        """Return the unit of the column, and all units; of equally frequent ones the unit comes before no unit."""
        names, inverse = np.unique(self.unit[self.good].astype(str), return_inverse=True)
        weight = np.bincount(inverse, counts[self.good], minlength=len(names))
        ranked = [str(names[at]) for at in np.lexsort((names == "", -weight))]
        return ranked[0] if ranked else "", tuple(name for name in ranked if name)

    def has_unit(self, unit: str) -> np.ndarray:
        """Return which words are numbers of this unit.

        A number without a unit beside numbers with one has the same, unless it is a percent sign. The number 1 may have
        a word of its own: 1 year, 2 years.
        """
        fits: np.ndarray = self.unit == unit
        if unit:
            measured = np.array([each in UNITS or each in _SIGNS_OF_MONEY for each in self.unit.tolist()], dtype=bool)
            fits |= (self.body == "1") & ~measured
            fits |= (self.unit == "") & (unit not in ("%", "‰"))
        good: np.ndarray = self.good & fits
        return good

    def numbers(self, mark: str, unit: str) -> np.ndarray:
        """Return the number of each word by this decimal mark ("": not known) and unit; NaN where it is none."""
        bodies = self.body.tolist()
        digits = _by_mark(bodies, mark) if mark else _by_either_mark(bodies)
        written = [body + power if body else "" for body, power in zip(digits, self.power.tolist())]
        good = self.has_unit(unit) & Words(written).match(NUMBER)
        values = np.full(len(bodies), np.nan)
        values[good] = [float(written[at]) for at in np.flatnonzero(good)]
        values[np.isinf(values)] = np.nan
        values[good & self.negative] *= -1
        return values


def _by_mark(bodies: list[str], mark: str) -> list[str]:
    """Return numbers with a decimal point and no other mark; "" where a body is none with this decimal mark."""
    fits = Words(bodies).match(_WRITTEN[mark])
    plain = str.maketrans(mark, ".", "".join(_GROUPS[mark]))
    return [body.translate(plain) if fit else "" for body, fit in zip(bodies, fits.tolist())]


def _by_either_mark(bodies: list[str]) -> list[str]:
    """Return the same where nobody knows the decimal mark; "" where a body has two meanings."""
    both = zip(bodies, _by_mark(bodies, "."), _by_mark(bodies, ","))
    return [
        comma if not point else point if not comma or point == comma or "." in body else ""
        for body, point, comma in both
    ]


def _one_blank(word: str) -> str:
    return word if word.isascii() else word.translate(_BLANKS)


def _normal(words: Sequence[str]) -> Words:
    """Return words with one kind of blank and one kind of apostrophe."""
    return Words([_one_blank(word) for word in words])


def _marks(bodies: np.ndarray, counts: np.ndarray, decimal: str | None) -> Numerals:
    """Choose the marks that read most cells as numbers; the result has no values yet."""
    words = Words(bodies.tolist())
    fits: dict[tuple[str, str], int] = {}
    for mark, groups in _GROUPS.items():
        point = "\\" + mark
        whole = words.match(rf"^(?:\d+(?:{point}\d*)?|{point}\d+)$")
        for group in groups:
            grouped = words.match(_grouped(group, mark))
            fits[mark, group] = int(counts[whole | grouped].sum())
    most = max(fits.values(), default=0)
    best = [style for style, fit in fits.items() if fit == most]
    marks = list(dict.fromkeys(mark for mark, _ in best))
    why = ""
    # The mark that could be either; "" if the words have none, so that both ways of reading agree.
    if len(marks) > 1 and (
        two := next((mark for mark in _GROUPS if (words.match("\\" + mark) & (counts > 0)).any()), "")
    ):
        marks, why = _decide(two, words, counts > 0, decimal)
    elif len(marks) > 1 and decimal in marks:
        marks = [decimal]
    mark, group = next(style for style in best if style[0] == marks[0])
    used = words.match(_grouped(group, mark)) & (counts > 0)
    any_decimal = bool((words.match("\\" + mark) & (counts > 0)).any())
    none = np.empty(0)
    return Numerals(none, none, none, decimal=mark if any_decimal else "", group=group if used.any() else "", why=why)


def _grouped(group: str, mark: str) -> str:
    return (
        rf"^[1-9]\d{{0,2}}(?:\{group}\d{{3}})+(?:\{mark}\d*)?$"
        if group != " "
        else (rf"^[1-9]\d{{0,2}}(?: \d{{3}})+(?:\{mark}\d*)?$")
    )


# Numbers with one of the marks of thousands that go with a decimal mark, or none.
_WRITTEN = {
    mark: "^(?:"
    + "|".join((rf"\d+(?:\{mark}\d*)?", rf"\{mark}\d+", *(_grouped(group, mark)[1:-1] for group in groups)))
    + ")$"
    for mark, groups in _GROUPS.items()
}


def _decide(mark: str, words: Words, used: np.ndarray, decimal: str | None) -> tuple[list[str], str]:
    """Return the decimal mark of a column whose only mark has three digits behind it, and why."""
    other = "," if mark == "." else "."
    if decimal is not None:
        return [decimal], BY_OTHER_NUMBERS
    marked = words.match("\\" + mark) & used
    if marked.sum() >= _MANY_GROUPS and (~marked & used).any():
        return [other], BY_SMALL_NUMBERS
    return [mark], UNDECIDED
