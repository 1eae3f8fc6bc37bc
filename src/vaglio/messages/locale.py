"""The edge where messages become text: in the language of the reader, with the names of the surface it is read on."""

from __future__ import annotations

import datetime
import gettext
import os
import sys
from dataclasses import dataclass
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.messages.message import Listing, Message, Number, Option, parsed, without_negative_zero

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "PSEUDO",
    "Locale",
    "check_language",
    "chosen_language",
    "locale_of",
    "preferred_language",
]

_FOLDER = Path(__file__).parent / "locale"
# English is the language of the templates; every other language is a file.
LANGUAGES = ("en", *sorted(path.stem for path in _FOLDER.glob("*.po")))
# A language made by a machine: what is not in it was written around the catalogue.
PSEUDO = "qps"
# What stands in a catalogue with this context is not a word but how a language writes numbers and dates.
_FORMS = "format"


@dataclass(frozen=True)
class Locale:
    """How text is written for a reader.

    Parameters
    ----------
    lang : str, default="en"
        One of ``LANGUAGES``.
    surface : {"python", "command"}, default="python"
        Whether options are named as Python or as the command line names them.

    Examples
    --------
    >>> from vaglio.messages.locale import Locale
    >>> from vaglio.messages.message import Message
    >>> told = Message("rows-dropped", "{n:,} {n:row|rows}", n=1200)
    >>> Locale("it").text(told), Locale("it").number(1234.5, ",.1f"), Locale().number(0.109, ".1%")
    ('1.200 righe', '1.234,5', '10.9%')
    """

    lang: str = "en"
    surface: str = "python"

    def text(self, said: str) -> str:
        """Return a message in this language; what is not a message is data and stays as it is."""
        if isinstance(said, Message):
            return self._filled(said.template, said.values)
        if isinstance(said, Listing):
            return self.text(said.message)
        if isinstance(said, Number):
            return self.marks(said)
        if isinstance(said, Option) and self.surface == "command":
            return said.on_command_line()
        return str(said)

    def say(self, template: str, /, **values: Any) -> str:
        """Return the words of an interface in this language, with their values filled in."""
        return self._filled(template, values)

    __call__ = say

    def translated(self, template: str) -> str:
        """Return a template in this language, its fields not filled in; the template itself if there is none."""
        return str(_catalogue(self.lang).gettext(template)) if template else ""

    def number(self, value: float, spec: str = "") -> str:
        """Return a number as the language writes it."""
        return self.marks(format(value, spec))

    def marks(self, number: str) -> str:
        """Return a number that is written as English does with the marks of this language."""
        number = without_negative_zero(number)
        if self.lang == "en":
            return str(number)
        catalogue = _catalogue(self.lang)
        point, comma = catalogue.pgettext(_FORMS, "."), catalogue.pgettext(_FORMS, ",")
        written = number.translate(str.maketrans({".": point, ",": comma}))
        return catalogue.pgettext(_FORMS, "{n}%").format(n=written[:-1]) if written.endswith("%") else written

    def date(self, when: datetime.date) -> str:
        """Return a day, or a day and a time, as the language writes it."""
        catalogue = _catalogue(self.lang)
        if isinstance(when, datetime.datetime) and (when.hour or when.minute or when.second):
            return when.strftime(catalogue.pgettext(_FORMS, "%Y-%m-%d %H:%M:%S"))
        return when.strftime(catalogue.pgettext(_FORMS, "%Y-%m-%d"))

    def _filled(self, template: str, values: Any) -> str:
        catalogue = _catalogue(self.lang)
        written = []
        for literal, name, spec, conversion in parsed(self.translated(template)):
            written.append(literal)
            if name is None:
                continue
            value = values[name]
            if spec and "|" in spec:
                forms = spec.split("|")
                written.append(forms[min(_plural_form(catalogue, value), len(forms) - 1)])
            elif conversion:
                written.append(repr(self.text(value)) if isinstance(value, str) else repr(value))
            else:
                written.append(self._value(value, spec or ""))
        return "".join(written)

    def _value(self, value: object, spec: str) -> str:
        if isinstance(value, str):
            return format(self.text(value), spec)
        if isinstance(value, bool):
            return format(value, spec)
        if isinstance(value, Real):
            return self.marks(format(value, spec))
        if isinstance(value, datetime.date) and not spec:
            return self.date(value)
        return format(value, spec)


ENGLISH = Locale()


def check_language(lang: str) -> None:
    """Refuse a language that there is no catalogue of.

    Parameters
    ----------
    lang : str
    """
    if not isinstance(lang, str) or lang not in (*LANGUAGES, PSEUDO):
        raise InputError(
            "no-such-language",
            "There is no translation into {lang!r}. Choose {known}.",
            lang=lang,
            known=Listing(LANGUAGES, quoted=True, last="or"),
        )


def locale_of(lang: str | Locale) -> Locale:
    """Return how to write for a reader of whom only the language may be known.

    Parameters
    ----------
    lang : str or Locale
    """
    if isinstance(lang, Locale):
        return lang
    check_language(lang)
    return Locale(lang)


class _English(gettext.NullTranslations):
    """The templates themselves."""

    def pgettext(self, context: str, message: str) -> str:
        return message

    def plural(self, n: int) -> int:
        return 0 if n == 1 else 1


def _plural_form(catalogue: Any, n: float) -> int:
    """Return which form of a noun stands after a number; a fraction takes the form of many."""
    return int(catalogue.plural(int(n) if n == int(n) else 2))


class _Pseudo(_English):
    """Every template with its letters changed, so that a reader sees what came from the catalogue."""

    _LETTERS = str.maketrans("aceinosuyACEINOSUY", "àçéîñöšüýÀÇÉÎÑÖŠÜÝ")

    def gettext(self, message: str) -> str:
        written = []
        for literal, name, spec, conversion in parsed(message):
            written.append(literal.translate(self._LETTERS).replace("{", "{{").replace("}", "}}"))
            if name is not None:
                spec = (spec or "").translate(self._LETTERS) if "|" in (spec or "") else spec
                written.append(
                    "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
                )
        return "".join(written)


@cache
def _catalogue(lang: str) -> Any:
    if lang == "en":
        return _English()
    if lang == PSEUDO:
        return _Pseudo()
    with (_FOLDER / f"{lang}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def preferred_language(accepted: str) -> str:
    """Return the first language of an Accept-Language header that there is a catalogue of; English if there is none.

    >>> preferred_language("de, it-IT;q=0.8, en;q=0.5")
    'it'
    """
    for part in accepted.split(","):
        code = part.split(";")[0].strip().lower().partition("-")[0]
        if code in (*LANGUAGES, PSEUDO):
            return code
    return "en"


def chosen_language(given: str | None = None, *, people: bool | None = None) -> str:
    """Return the language to write in: the one given, that of ``VAGLIO_LANG``, or for people that of their terminal.

    Parameters
    ----------
    given : str, optional
        What the caller asked for.
    people : bool, optional
        Whether a person reads the output; by default, whether standard output is a terminal. A pipe or a file gets
        English unless a language was asked for.
    """
    if given or os.environ.get("VAGLIO_LANG"):
        return given or os.environ["VAGLIO_LANG"]
    if not (sys.stdout.isatty() if people is None else people):
        return "en"
    terminal = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return preferred_language(terminal.replace("_", "-").partition(".")[0])
