"""The catalogues of all languages have the same messages."""

from __future__ import annotations

import string

import pytest

from vaglio.document.catalogue import LANGUAGES, Words
from vaglio.document.messages import (
    en,
    en_additive,
    en_film,
    en_optimal_tree,
    it,
    it_additive,
    it_film,
    it_optimal_tree,
)
from vaglio.errors import InputError

CATALOGUES = [(en, it), (en_additive, it_additive), (en_film, it_film), (en_optimal_tree, it_optimal_tree)]
PAIRS = [(own.MESSAGES[key], other.MESSAGES[key]) for own, other in CATALOGUES for key in own.MESSAGES]


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_has_every_message():
    keys = [key for own, _ in CATALOGUES for key in own.MESSAGES]
    assert keys == [key for _, other in CATALOGUES for key in other.MESSAGES]
    assert len(set(keys)) == len(keys)
    assert LANGUAGES == ("en", "it")


@pytest.mark.parametrize(("english", "italian"), PAIRS)
def test_a_message_names_the_same_values_in_every_language(english, italian):
    assert _fields(english) == _fields(italian)
    assert english.strip()
    assert italian.strip()


def test_other_languages_are_refused_by_name():
    with pytest.raises(InputError, match="'de'"):
        Words("de")
