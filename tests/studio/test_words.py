"""The words of the studio: the same keys in both languages, and every key of a template is there."""

from __future__ import annotations

import re
from importlib.resources import files
from string import Formatter

import pytest

from vaglio.learners.registry import LEARNERS
from vaglio.studio.catalogue import Words
from vaglio.studio.words import en, en_when, it, it_when


def test_both_languages_say_the_same_things():
    assert list(en.MESSAGES) == list(it.MESSAGES)
    for key, sentence in en.MESSAGES.items():
        names = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (sentence, it.MESSAGES[key])]
        assert names[0] == names[1], key


def test_every_learner_says_when_to_use_it():
    assert list(en_when.WHEN) == list(it_when.WHEN)
    assert set(en_when.WHEN) == set(LEARNERS)
    assert Words("it").when("c45") != Words("en").when("c45")
    assert Words("en").when("a learner of another package") == ""


def test_every_word_of_a_template_is_known():
    for template in (files("vaglio.studio") / "templates").iterdir():
        for key in re.findall(r"say\([\"']([a-z_0-9]+)[\"'][,)]", template.read_text(encoding="utf-8")):
            assert key in en.MESSAGES, (template.name, key)


@pytest.mark.parametrize(("lang", "number", "share"), [("en", "1,234.5", "12.3%"), ("it", "1.234,5", "12,3 %")])
def test_numbers_are_written_as_the_language_does(lang, number, share):
    say = Words(lang)
    assert say.number(1234.5, 1) == number
    assert say.percent(0.123) == share
    assert say.seconds(0.2) != say.seconds(20) != say.seconds(2000)
