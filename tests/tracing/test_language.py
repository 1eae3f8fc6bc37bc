"""Traces and their pictures are written in the language that was asked for, word by word and number by number."""

from __future__ import annotations

import re

import numpy as np
import pytest
from babel.messages.pofile import read_po
from tests.document.test_render import ROW, SUBJECTS

import vaglio
from vaglio.document.document import Formula, Grid, Paragraph, Trace
from vaglio.document.notation import Notation
from vaglio.errors import InputError
from vaglio.learners.registry import LEARNERS, find
from vaglio.messages import locale
from vaglio.messages.locale import PSEUDO
from vaglio.tracing.animation import make_animation

# Plain letters that the pseudo-language changes in every template.
_CHANGED = set("aceinosuyACEINOSUY")
# What is not translated: functions and letters of formulas, and the names of algorithms, parameters and averages.
_SIGNS = {
    "log", "ln", "exp", "max", "min", "tanh", "det", "Cov", "BIC", "LR", "TP", "FN", "FP", "TN", "pos", "neg",
    "TPR", "FPR", "FNR", "MCC", "AUC", "E",
    "e", "c", "i", "n", "o", "s", "u", "y", "a", "C", "A", "I", "N", "O", "S", "U", "Y",
    "macro", "weighted", "micro", "softmax", "logistic", "relu", "adam", "lbfgs", "sqrt", "Laplace",
    "naive", "Bayes", "CART", "ID", "CN", "AQ", "FOIL", "RIPPER", "AdaBoost", "bagging", "gradient", "boosting",
}  # fmt: skip
# A point between digits that is not the mark of thousands.
_DECIMAL_POINT = re.compile(r"\b(?:0\.\d+|\d+\.(?!\d{3}\b)\d+)")


def _texts(work: Trace) -> list[str]:
    """Every text of a trace."""
    found = [work.title]
    for section in work.sections:
        found.append(section.title)
        for block in section.blocks:
            if isinstance(block, (Paragraph, Formula)):
                found.append(block.text)
            else:
                assert isinstance(block, Grid)
                found += [block.caption, *block.columns, *(cell for row in block.rows for cell in row)]
    return found


def _untranslated(texts: list[str], data: set[str]) -> set[str]:
    """Words that neither the pseudo-language nor the data wrote."""
    words = {word for text in texts for word in re.findall(r"[A-Za-z]+(?![A-Za-zÀ-ÿŠšŽž])", _plain(text))}
    return {word for word in words if set(word) & _CHANGED and word not in _SIGNS and word not in data}


def _plain(text: str) -> str:
    """The text without words that the pseudo-language has changed."""
    return re.sub(r"\w*[à-ÿÀ-ÞŠš]\w*", " ", text)


def _data(X, y) -> set[str]:
    """The words of a table."""
    cells = [str(cell) for name in X.columns for cell in X[name].unique()]
    labels = [str(label) for label in np.unique(np.asarray(y))]
    return {word for text in [*X.columns, *cells, *labels] for word in re.findall(r"[A-Za-z]+", text)}


@pytest.fixture(scope="module")
def flowers():
    X, y = vaglio.datasets.load("iris").xy("species")
    frame = X.to_frame().iloc[::5, [0, 2]].reset_index(drop=True)
    return frame, np.asarray(y)[::5]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_word_of_a_trace_comes_from_the_catalogue(play, learner):
    X, y = play
    work = vaglio.trace(learner, X, y, row=ROW, lang=PSEUDO, max_steps=5)
    assert work.lang == PSEUDO
    # Parameters and their values are written as one types them.
    typed = [f"{name} {choice.value}" for name, choice in LEARNERS[learner].textbook.items()]
    allowed = _data(X.to_frame(), y) | set(re.findall(r"[A-Za-z]+", " ".join([*LEARNERS, *typed])))
    assert _untranslated(_texts(work), allowed) == set()
    assert vaglio.trace(learner, X, y, row=ROW, max_steps=5).facts.keys() == work.facts.keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_word_of_another_subject_comes_from_the_catalogue(subject):
    assert _untranslated(_texts(SUBJECTS[subject](PSEUDO)), {"a", "b"}) == set()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", LEARNERS)
def test_numbers_of_an_italian_trace_have_a_decimal_comma(flowers, learner):
    X, y = flowers
    row = dict.fromkeys(X.columns, 4.25)
    work = vaglio.trace(learner, X, y, row=row, lang="it", max_steps=3)
    for form in (work.to_text(), re.sub(r"<style>.*?</style>", "", work.to_html(), flags=re.DOTALL)):
        assert _DECIMAL_POINT.findall(form.replace("C4.5", "")) == []
        assert re.findall(r"\d%", form) == []
    assert re.search(r"\d,\d", work.to_text())
    assert _DECIMAL_POINT.findall(work.to_latex().replace("C4.5", "").replace("2.5cm", "")) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("subject", ["vote", "kernel", "metrics", "shattering", "split"])
def test_numbers_of_other_subjects_have_a_decimal_comma(subject):
    text = SUBJECTS[subject]("it").to_text()
    assert _DECIMAL_POINT.findall(text) == []
    assert re.findall(r"\d%", text) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", ["id3", "cart", "perceptron", "logistic", "svm", "knn", "adaboost", "naive-bayes"])
def test_pictures_are_in_the_language_of_the_trace(flowers, learner):
    X, y = flowers
    two = y != "virginica"
    animation = make_animation(find(learner).cls(), X[two], y[two], lang=PSEUDO)
    assert animation is not None
    seen = [frame.caption for frame in animation.frames]
    for picture in map(animation.draw, (0, len(animation.frames) - 1)):
        seen += re.findall(r"<(?:title|desc|text)[^>]*>([^<]*)<", picture)
    assert _untranslated(seen, _data(X, y) | {"K", "n"}) == set()
    italian = make_animation(find(learner).cls(), X[two], y[two], lang="it")
    assert italian is not None
    words = re.findall(r">([^<]+)<", italian.draw(len(italian.frames) - 1))
    assert [word for word in words if _DECIMAL_POINT.search(word) or re.search(r"\d%", word)] == []


def test_every_template_of_traces_and_figures_is_translated():
    with (locale._FOLDER / "it.po").open("rb") as file:
        catalogue = read_po(file, locale="it")
    ours = re.compile(r"(document|tracing|plot)/|learners/\w+/trace")
    mine = [message for message in catalogue if any(ours.match(place) for place, _ in message.locations)]
    assert len(mine) > 400
    assert [message.id for message in mine if not message.string] == []


def test_numbers_in_a_row_are_told_apart_in_every_language():
    assert Notation("en").series(["0.5", "1"]) == "0.5, 1"
    assert Notation("it").series(["0,5", "1"]) == "0,5; 1"
    with pytest.raises(InputError, match="'en' or 'it'"):
        Notation("xx")
