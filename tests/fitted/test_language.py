"""A fitted model is shown in the language of the reader, and so are the reasons why a file or a request is refused."""

from __future__ import annotations

import re

import pytest

import vaglio
from vaglio.errors import ModelFileError, VaglioError
from vaglio.fitted.file import from_bytes
from vaglio.fitted.show import edit_in_words, to_html, to_text
from vaglio.messages.locale import PSEUDO, Locale
from vaglio.model.checks import need

# The pseudo-language changes these letters of every template; the data here have none of them.
_LEFT = re.compile("[aceinosuyACEINOSUY]+")
_X, _Y = [[float(i)] for i in range(20)], ["b" if i < 9 else "d" for i in range(20)]


@pytest.fixture(scope="module")
def tree():
    return vaglio.CARTClassifier().fit(_X, _Y).fitted_


def test_one_line_in_every_language(tree):
    shown = to_text(tree, PSEUDO).replace("cart", "")
    assert _LEFT.findall(shown) == []
    assert "addestrato su 20 righe e 1 colonna; classi b e d" in to_text(tree, "it")
    assert "2 foglie, profondità 1" in to_text(tree, "it")
    assert to_text(tree) == repr(tree)


def test_a_notebook_in_every_language():
    fitted = vaglio.LogisticRegression().fit(_X, _Y).fitted_
    assert "per d" in to_html(fitted, "it")
    assert "for d" in to_html(fitted)


def test_a_change_by_hand_in_every_language():
    edit = {"term": "x", "action": "w", "direction": 1, "where": [0.5, 1.5], "before": [[0.25]], "after": [[0.5]]}
    told = edit_in_words({**edit, "reason": "bd"}, is_date=False)
    assert told == "x: w rising where 0.5..1.5: 0.2500 before, 0.5000 after, moved by at most 0.2500 (bd)"
    assert _LEFT.findall(Locale(PSEUDO).text(told)) == []
    assert "0,5..1,5: prima 0,2500, dopo 0,5000" in Locale("it").text(told)


def test_refusals_in_every_language(tree):
    for fails in (lambda: tree.export("zz"), lambda: tree.with_decision_rule("zz"), lambda: from_bytes(b"")):
        with pytest.raises(VaglioError) as caught:
            fails()
        assert Locale("it").text(caught.value.message) != str(caught.value)


def test_the_reason_of_a_damaged_file_is_a_message():
    with pytest.raises(ModelFileError) as caught:
        need(False, "the array {array!r} is missing", array="kk")
    assert caught.value.message.code == "damaged-model-file"
    assert Locale("it").text(caught.value.message) == "Il file del modello è danneggiato: manca il vettore 'kk'."
    assert _LEFT.findall(Locale(PSEUDO).text(caught.value.message)) == []
