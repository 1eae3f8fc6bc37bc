"""The catalogues of all languages have the same messages."""

from __future__ import annotations

import string

import pytest

from vaglio.errors import InputError
from vaglio.tracing.catalogue import LANGUAGES, Words
from vaglio.tracing.messages import en, it


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_has_every_message():
    assert list(en.MESSAGES) == list(it.MESSAGES)
    assert LANGUAGES == ("en", "it")


@pytest.mark.parametrize("key", en.MESSAGES)
def test_a_message_names_the_same_values_in_every_language(key):
    assert _fields(en.MESSAGES[key]) == _fields(it.MESSAGES[key])
    assert en.MESSAGES[key].strip()
    assert it.MESSAGES[key].strip()


def test_other_languages_are_refused_by_name():
    with pytest.raises(InputError, match="'de'"):
        Words("de")
