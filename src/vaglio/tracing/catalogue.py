"""What a trace says, in the reader's language: one catalogue a language, with the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from vaglio.errors import InputError

LANGUAGES = ("en", "it")


@dataclass(frozen=True)
class Words:
    """The sentences of one language.

    Examples
    --------
    >>> from vaglio.tracing.catalogue import Words
    >>> Words("it")("rows")
    'righe'
    """

    lang: str = "en"

    def __post_init__(self) -> None:
        if self.lang not in LANGUAGES:
            raise InputError(f"A trace speaks {' and '.join(LANGUAGES)}, not {self.lang!r}.")

    @cached_property
    def _messages(self) -> dict[str, str]:
        return import_module(f"vaglio.tracing.messages.{self.lang}").MESSAGES

    def __call__(self, key: str, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        return self._messages[key].format(**values)
