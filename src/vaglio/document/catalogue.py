"""The sentences of a trace in the language of the reader: one catalogue per language, all with the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vaglio.errors import InputError

LANGUAGES = ("en", "it")


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
            raise InputError(
                "trace-written",
                "A trace is written in {languages}, not in {lang!r}.",
                languages=" or ".join(LANGUAGES),
                lang=self.lang,
            )

    @cached_property
    def _messages(self) -> dict[str, str]:
        # Only the language that is asked for is imported.
        if self.lang == "it":
            from vaglio.document.messages.it import MESSAGES
        else:
            from vaglio.document.messages.en import MESSAGES
        return MESSAGES

    def __call__(self, key: str, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        return self._messages[key].format(**values)
