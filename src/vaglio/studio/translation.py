"""Sentences of other rooms in the language of the page: what the audit, an explanation or an error says in English.

These rooms write English. A catalogue has the patterns of their sentences, each with its translation:

    "{name}: {n} value(s) outside {low} … {high}" -> "{name}: {n} valor[e|i] fuori da {low} … {high}"

``{name}`` stands for any text. ``{n}`` and names that begin with ``n_`` stand for numbers, which are written as the
language does. A name that ends in ``_`` stands for a sentence of its own, which stays as it is if it has no
translation; one that ends in ``__`` must have one. A name that ends in ``_list`` stands for a list of names. In the
pattern ``(s)`` may be there or not; in the translation ``[e|i]`` is chosen by the number before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module

__all__ = ["CATALOGUES", "Translator", "parameter_meaning", "translator"]

# Modules of words/ with the sentences of other rooms.
CATALOGUES = ("findings", "reading", "reasons", "chapters", "learners", "errors")
_TOKEN = re.compile(r"\{(\w+)\}|(\(s\))")
_CHOICE = re.compile(r"\{(\w+)\}|\[([^\[\]|]*)\|([^\[\]|]*)\]")
_NUMBER = r"[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?%?"
# Ends of sentences that stand in one text.
_END = re.compile(r"(?<=[.?!]) (?=\S)")
# Sentences within sentences, and no deeper: a size may have a dozen parts.
_DEEPEST = 12


@dataclass(frozen=True)
class _Pattern:
    """A sentence with gaps."""

    literal: str
    found: re.Pattern[str]
    translation: str


class Translator:
    """Translates whole sentences; what no pattern fits stays as it is.

    Parameters
    ----------
    sentences : mapping of str to str
        Pattern -> translation.

    Examples
    --------
    >>> into = Translator({"{n} row(s) of {what_}": "{n} rig[a|he] di {what_}", "a table": "una tabella"})
    >>> into("1,200 rows of a table"), into("1 row of x")
    ('1.200 righe di una tabella', '1 riga di x')
    """

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._whole = {text: said for text, said in sentences.items() if not _TOKEN.search(text)}
        patterns = [_pattern(text, said) for text, said in sentences.items() if _TOKEN.search(text)]
        # The pattern that says most is tried first.
        self._patterns = sorted(patterns, key=lambda each: -len(_TOKEN.sub("", each.found.pattern)))
        self._translated = lru_cache(4096)(self._translate)

    def __call__(self, text: str) -> str:
        """Return the text in the other language."""
        line = " ".join(text.split())
        return self._translated(line, 0) or line

    def knows(self, text: str) -> bool:
        """Return whether there is a pattern for all of the text."""
        return self._translated(" ".join(text.split()), 0) is not None

    def _translate(self, text: str, depth: int) -> str | None:
        if text in self._whole:
            return self._whole[text]
        for pattern in self._patterns:
            if pattern.literal not in text or not (found := pattern.found.fullmatch(text)):
                continue
            said = self._filled(pattern.translation, found.groupdict(), depth)
            if said is not None:
                return said
        return self._in_parts(_END.split(text), depth) or self._without_end(text, depth)

    def _in_parts(self, parts: list[str], depth: int) -> str | None:
        """Several sentences one after the other; a pattern may have more than one of them."""
        for cut in range(len(parts) - 1, 0, -1):
            head, tail = (self._translated(" ".join(part), depth) for part in (parts[:cut], parts[cut:]))
            if head is not None and tail is not None:
                return f"{head} {tail}"
        return None

    def _without_end(self, text: str, depth: int) -> str | None:
        """The same sentence may stand alone, or end in a full stop."""
        if not text.endswith((".", ";")):
            return None
        said = self._translated(text[:-1], depth)
        return None if said is None else said + text[-1]

    def _filled(self, translation: str, values: Mapping[str, str], depth: int) -> str | None:
        number = ""
        parts: list[str] = []
        at = 0
        for found in _CHOICE.finditer(translation):
            parts.append(translation[at : found.start()])
            at = found.end()
            name, one, many = found.groups()
            if name is None:
                parts.append(one if number in ("1", "one") else many)
                continue
            if _is_number(name):
                number = values[name]
            said = self._value(name, values[name], depth)
            if said is None:
                return None
            parts.append(said)
        return "".join([*parts, translation[at:]])

    def _value(self, name: str, value: str, depth: int) -> str | None:
        if _is_number(name):
            return _number(value)
        if name.endswith("_list"):
            return _list(value)
        if not name.endswith("_"):
            return value
        said = self._translated(value, depth + 1) if depth < _DEEPEST else None
        return said if said is not None or name.endswith("__") else value


def _is_number(name: str) -> bool:
    return name == "n" or name.startswith("n_")


def _pattern(text: str, translation: str) -> _Pattern:
    parts, at, seen = [], 0, set()
    literals = [""]
    for found in _TOKEN.finditer(text):
        parts.append(re.escape(text[at : found.start()]))
        literals.append(text[at : found.start()])
        at = found.end()
        name = found[1]
        if name is None:
            parts.append("(?:e?s)?")
        elif name in seen:
            parts.append(f"(?P={name})")
        else:
            seen.add(name)
            parts.append(f"(?P<{name}>{_NUMBER if _is_number(name) else '.+?'})")
    literals.append(text[at:])
    return _Pattern(max(literals, key=len), re.compile("".join([*parts, re.escape(text[at:])])), translation)


def _number(text: str) -> str:
    """A number of an English sentence as Italian writes it.

    >>> _number("1,234.5"), _number("12%")
    ('1.234,5', '12 %')
    """
    swapped = text.translate(str.maketrans(",.", ".,"))
    return f"{swapped[:-1]} %" if swapped.endswith("%") else swapped


def _list(text: str) -> str:
    """A list of an English sentence.

    >>> _list("'a', 'b' and 6 more")
    "'a', 'b' e altri 6"
    """
    text = re.sub(r" and ([\d,]+) more$", lambda found: f" e altri {_number(found[1])}", text)
    head, joint, last = text.rpartition(" and ")
    return f"{head} e {last}" if joint else re.sub(r" or (?=\S+$)", " o ", text)


def parameter_meaning(lang: str, learner: str, name: str) -> str:
    """Return what a parameter means to a learner, or to all learners that have it; empty if that is not known."""
    words = import_module(f"vaglio.studio.words.{lang}_parameters")
    own = f"{learner}.{name}"
    meaning: str = words.PARAMETERS.get(words.SAME_AS.get(own, own)) or words.PARAMETERS.get(name, "")
    return meaning


@cache
def translator(lang: str) -> Translator | None:
    """Return the translator into a language; None for English."""
    if lang == "en":
        return None
    found: dict[str, str] = {}
    for sentences in _catalogues(lang):
        found |= sentences
    return Translator(found)


def _catalogues(lang: str) -> Iterable[Mapping[str, str]]:
    for name in CATALOGUES:
        sentences: Mapping[str, str] = import_module(f"vaglio.studio.words.{lang}_{name}").SENTENCES
        yield sentences
