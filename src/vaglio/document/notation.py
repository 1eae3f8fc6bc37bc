"""Numbers as a lecture writes them: measures with four decimals, counts without any, shares as fractions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from vaglio.errors import InputError
from vaglio.messages.figures import short_number
from vaglio.messages.locale import Locale, check_language

__all__ = ["Notation", "as_fraction", "minus"]


@dataclass(frozen=True)
class Notation(Locale):
    """The language of a trace: its sentences, and the numbers of its formulas and tables.

    Parameters
    ----------
    lang : str, default="en"
        One of :data:`vaglio.messages.locale.LANGUAGES`.
    surface : {"python", "command"}, default="python"
        Whether options are named as Python or as the command line names them.

    Examples
    --------
    >>> from vaglio.document.notation import Notation
    >>> Notation("it").fixed(0.94028), Notation("it")("{n:,} {n:row|rows}", n=2)
    ('0,9403', '2 righe')
    """

    def __post_init__(self) -> None:
        check_language(self.lang)

    def fixed(self, value: float | None, digits: int = 4) -> str:
        """Return a measure with four decimals; integers without any.

        >>> say = Notation()
        >>> say.fixed(0.94028), say.fixed(1.0), say.fixed(-0.5), say.fixed(None), say.fixed(2.5e-7)
        ('0.9403', '1', '−0.5000', '–', '2.5e−07')
        >>> say.fixed(386**5)
        '8569125894176'
        """
        if value is None or value != value:
            return "–"
        value = float(value)
        if value in (float("inf"), float("-inf")):
            return "∞" if value > 0 else "−∞"
        if abs(value - round(value)) < 1e-9 and abs(value) < 1e15:
            text = str(round(value))
        elif abs(value) < 0.5 * 10**-digits:
            text = f"{value:.1e}"
        else:
            text = f"{value:.{digits}f}"
        return self.marks(minus(text))

    def figures(self, value: float) -> str:
        """Return a number of any size: four decimals, or three digits where those would leave too few.

        >>> say = Notation()
        >>> say.figures(0.14661), say.figures(0.00154), say.figures(6.03e-105), say.figures(0.0)
        ('0.1466', '0.00154', '6.03e−105', '0')
        """
        return self.fixed(value) if value == 0 or abs(value) >= 0.01 else self.marks(minus(f"{value:.3g}"))

    def short(self, value: float) -> str:
        """Return a value of the table with as few digits as it needs.

        >>> Notation("it").short(4.950000000000001)
        '4,95'
        """
        return self.marks(short_number(value))

    def count(self, value: float) -> str:
        """Return a number of rows: an integer, or with the decimals that shares of rows have.

        >>> Notation().count(9.0), Notation().count(2.5)
        ('9', '2.5')
        """
        value = float(value)
        whole = abs(value - round(value)) < 1e-9
        return self.marks(str(round(value)) if whole else f"{value:.3f}".rstrip("0"))

    def fraction(self, part: float, whole: float) -> str:
        """Return a share as a fraction.

        >>> Notation().fraction(9, 14)
        '9/14'
        """
        return f"{self.count(part)}/{self.count(whole)}"

    def percent(self, share: float, digits: int = 1) -> str:
        """Return a share as a percentage.

        >>> Notation().percent(0.2046), Notation("it").percent(0.2046)
        ('20.5%', '20,5\\xa0%')
        """
        return self.marks(f"{share:.{digits}%}")

    def series(self, numbers: Iterable[str], most: int | None = None) -> str:
        """Return written numbers one after the other, those beyond ``most`` as dots.

        Semicolons separate them in a language that writes a decimal comma.

        >>> Notation().series(["0.5", "1"]), Notation("it").series(["0,5", "1", "2"], 2)
        ('0.5, 1', '0,5; 1; …')
        """
        written = list(numbers)
        between = "; " if self.marks(".") == "," else ", "
        return between.join(written if most is None or len(written) <= most else [*written[:most], "…"])


def minus(text: str) -> str:
    """Return a number's text with a proper minus sign."""
    return text.replace("-", "−")


def as_fraction(value: object) -> Fraction:
    """Read 1/3, 0.25 or a number as an exact fraction.

    >>> as_fraction("1/3"), as_fraction(0.25)
    (Fraction(1, 3), Fraction(1, 4))
    """
    try:
        return value if isinstance(value, Fraction) else Fraction(str(value).replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        raise InputError("not-a-fraction", "{value!r} is not a number. Write 1/3 or 0.25.", value=value) from None
