"""The words of the page in the language of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from vaglio.studio.translation import parameter_meaning, translator

__all__ = ["LANGUAGES", "Words", "preferred_language"]

LANGUAGES = {"en": "English", "it": "Italiano"}


@cache
def _messages(lang: str) -> Mapping[str, str]:
    messages: Mapping[str, str] = import_module(f"vaglio.studio.words.{lang}").MESSAGES
    return messages


class Words:
    """The sentences of one language.

    Parameters
    ----------
    lang : {"en", "it"}

    Examples
    --------
    >>> from vaglio.studio.catalogue import Words
    >>> Words("it")("room_table")
    'Tabella'
    """

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def __call__(self, key: str, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        return _messages(self.lang)[key].format(**values)

    def sentence(self, text: object) -> str:
        """Return an English sentence of another room in this language; as it is where it has no translation."""
        into = translator(self.lang)
        return str(text) if into is None else into(str(text))

    def when(self, learner: str) -> str:
        """Return when to use a learner; empty for one from outside the package."""
        words: Mapping[str, str] = import_module(f"vaglio.studio.words.{self.lang}_when").WHEN
        return words.get(learner, "")

    def meaning(self, learner: str, parameter: str, text: str) -> str:
        """Return what a parameter of a learner means."""
        return text if self.lang == "en" else parameter_meaning(self.lang, learner, parameter) or text

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number as the language writes it."""
        return self.written(f"{value:,.{digits}f}")

    def written(self, text: str) -> str:
        """Return a number that is written as English does as the language writes it."""
        return text.translate(str.maketrans(",.", ".,")) if self.lang == "it" else text

    def percent(self, share: float | None, digits: int = 1) -> str:
        """Return a share as the language writes it; a dash for none."""
        if share is None or share != share:
            return "–"
        return f"{self.number(100 * share, digits)} %" if self.lang == "it" else f"{self.number(100 * share, digits)}%"

    def seconds(self, value: float | None) -> str:
        """Return a time as people say it."""
        if value is None or value != value:
            return "–"
        if value < 1:
            return self("under_a_second")
        if value < 90:
            return self("n_seconds", n=self.number(round(value)))
        return (
            self("n_minutes", n=self.number(round(value / 60)))
            if value < 5400
            else self("n_hours", n=self.number(value / 3600, 1))
        )


def preferred_language(accepted: str) -> str:
    """Return the first language of an Accept-Language header that the studio speaks.

    >>> preferred_language("de, it-IT;q=0.8, en;q=0.5")
    'it'
    """
    for part in accepted.split(","):
        code = part.split(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"
