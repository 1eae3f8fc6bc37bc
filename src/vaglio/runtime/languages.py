"""The language that a caller asks for by ``lang=``."""

from __future__ import annotations

from vaglio.errors import InputError
from vaglio.messages.locale import LANGUAGES, PSEUDO, Locale
from vaglio.messages.message import Listing

__all__ = ["check_language", "locale_of"]


def check_language(lang: str) -> None:
    """Refuse a language that there is no catalogue of.

    Parameters
    ----------
    lang : str
    """
    if lang not in (*LANGUAGES, PSEUDO):
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
