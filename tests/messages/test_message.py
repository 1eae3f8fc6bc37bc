"""Messages: one sentence, written by the language and the surface it is read on."""

import pickle

import pytest

from vaglio.errors import ColumnError, DataWarning, InputError
from vaglio.messages.locale import PSEUDO, Locale, chosen_language, preferred_language
from vaglio.messages.message import Listing, Message, Number, Option, join, text


def test_a_message_is_its_english_text():
    told = Message("few-rows", "{n:,} {n:row is|rows are} in {name!r} ({share:.1%})", n=1200, name="a b", share=0.109)
    assert told == "1,200 rows are in 'a b' (10.9%)"
    assert (told.code, told.values["n"]) == ("few-rows", 1200)
    assert Message("few-rows", told.template, n=1, name="x", share=0.0) == "1 row is in 'x' (0.0%)"


def test_a_language_writes_numbers_by_its_own_marks():
    italian = Locale("it")
    assert italian.text(text("{n:,} {n:row|rows}", n=1200)) == "1.200 righe"
    assert italian.text(text("{n:,} {n:row|rows}", n=1)) == "1 riga"
    assert italian.number(0.109, ".1%") == "10,9\u00a0%"
    assert italian.text(join("; ", [Number("1,234.5"), "1,234.5"])) == "1.234,5; 1,234.5"


def test_names_from_a_table_are_never_translated():
    told = text("{n:,} {n:row|rows}", n=2)
    assert Locale("it").text(text("{name}: {told}", name="rows", told=told)) == "rows: 2 righe"
    assert Locale("it").text("rows") == "rows"


def test_an_option_is_named_as_the_surface_names_it():
    told = Message("x", "Set {option}.", option=Option("max_rows", 500))
    assert Locale().text(told) == "Set max_rows=500."
    assert Locale(surface="command").text(told) == "Set --max-rows 500."


@pytest.mark.parametrize("last", ["and", "or"])
def test_lists_are_lists_in_every_language(last):
    names = Listing(["a", "b", "c"], last=last)
    assert names == f"a, b {last} c"
    assert Listing("abcdefgh", 2) == "a, b and 6 more"
    assert Locale(PSEUDO).text(names) != names


def test_the_pseudo_language_changes_every_template_and_no_value():
    assert Locale(PSEUDO).text(text("{n:,} {n:row|rows} of {name}", n=3, name="one")) == "3 röwš öf one"


@pytest.mark.parametrize("kind", [InputError, ColumnError, DataWarning])
def test_errors_are_messages_and_can_be_sent(kind):
    error = kind("no-column", "There is no column {name!r}: {hint}", name="a", hint=text("see {n}", n=3))
    assert str(error) == "There is no column 'a': see 3"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.message.code, again.message.values["name"]) == (str(error), "no-column", "a")
    assert error.message.as_data() == {
        "code": "no-column",
        "text": str(error),
        "values": {"name": "a", "hint": "see 3"},
    }


def test_values_of_any_kind_can_be_sent():
    told = Message("x", "{value}", value=lambda: None)
    assert pickle.loads(pickle.dumps(told)) == told


def test_a_template_needs_all_its_values():
    with pytest.raises(KeyError):
        text("{n} rows")


def test_which_language(monkeypatch):
    for name in ("VAGLIO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert chosen_language(people=True) == "en"
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    assert (chosen_language(people=True), chosen_language(people=False)) == ("it", "en")
    assert chosen_language("en", people=True) == "en"
    monkeypatch.setenv("VAGLIO_LANG", "it")
    assert chosen_language(people=False) == "it"
    assert preferred_language("de, it-IT;q=0.8") == "it"


def test_an_error_as_a_value_is_translated_with_the_sentence():
    inner = InputError("few", "{n:,} {n:row|rows}", n=2)
    told = InputError("memory", "--memory: {error}", error=inner)
    assert Locale("it").text(told.message) == "--memory: 2 righe"
