"""The catalogues of all languages have the same messages."""

from __future__ import annotations

import string

import pytest

from vaglio.document.catalogue import LANGUAGES, Words
from vaglio.document.messages import en, it
from vaglio.errors import InputError


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_has_every_message():
    assert list(en.MESSAGES) == list(it.MESSAGES)
    assert LANGUAGES == ("en", "it")


def test_a_message_names_the_same_values_in_every_language():
    for key, english in en.MESSAGES.items():
        italian = it.MESSAGES[key]
        assert _fields(english) == _fields(italian), key
        assert english.strip(), key
        assert italian.strip(), key


def test_other_languages_are_refused_by_name():
    with pytest.raises(InputError, match="'de'"):
        Words("de")
