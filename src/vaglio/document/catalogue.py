"""The sentences of a trace in the language of the reader: one catalogue per language, all with the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from vaglio.errors import InputError

# The modules of vaglio.document.messages: per language one for most sentences, and one for each large topic.
LANGUAGES = ("en", "it")
PARTS = ("{}", "{}_additive", "{}_film", "{}_optimal_tree")


@dataclass(frozen=True)
class Words:
    """The sentences of one language.

    Parameters
    ----------
    lang : {"en", "it"}
        The language.

    Examples
    --------
    >>> from vaglio.document.catalogue import Words
    >>> Words("it")("rows")
    'righe'
    """

    lang: str = "en"

    def __post_init__(self) -> None:
        if self.lang not in LANGUAGES:
            raise InputError(f"A trace is written in {' or '.join(LANGUAGES)}, not in {self.lang!r}.")

    @cached_property
    def _messages(self) -> dict[str, str]:
        # Only the language that is asked for is imported.
        messages: dict[str, str] = {}
        for part in PARTS:
            messages |= import_module(f"vaglio.document.messages.{part.format(self.lang)}").MESSAGES
        return messages

    def __call__(self, key: str, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        return self._messages[key].format(**values)
