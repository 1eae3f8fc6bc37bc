"""Lists of names in a sentence, and suggestions for a misspelled name."""

from __future__ import annotations

import pytest

from vaglio.messages.sentences import clip, did_you_mean, listed, near_names, plural


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([], "none"),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (list("abcd"), "a, b, c and 1 more"),
        (["n" * 100], "n" * 39 + "…"),
        ([1, True], "1 and True"),
    ],
)
def test_names_are_listed_as_in_a_sentence(names, sentence):
    assert listed(names, 3) == sentence


def test_only_words_are_quoted():
    assert listed(["a b", 1], quoted=True) == "'a b' and 1"


def test_long_names_are_clipped_and_line_breaks_removed():
    assert clip("first line\nsecond line", 12) == "first line …"


@pytest.mark.parametrize(("n", "text"), [(0, "0 classes"), (1, "1 class"), (12_000, "12,000 classes")])
def test_a_count_has_the_form_of_the_noun_that_fits(n, text):
    assert plural(n, "class") == text


def test_a_near_name_is_suggested():
    assert did_you_mean("specis", ["island", "species"], quoted=True) == "did you mean 'species'?"


def test_several_near_names_are_joined_by_or():
    assert did_you_mean("petal", ["petal_a", "petal_b", "x"]) == "did you mean petal_b or petal_a?"


def test_upper_and_lower_case_are_the_same_letter():
    assert near_names("SPECIES", ["Species"]) == ["Species"]


def test_known_names_are_listed_when_none_is_near():
    assert did_you_mean("q", list("abcd"), otherwise="it has", most=3) == "it has a, b, c and 1 more."
