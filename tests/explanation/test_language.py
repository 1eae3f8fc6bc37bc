"""Explanations in other languages: no word is written around the catalogue, and numbers are not mixed."""

import json
import re

import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.explanation.chapter import ChapterLimits, chapters
from vaglio.learners.parameter_text import parameter_fields
from vaglio.learners.registry import LEARNERS
from vaglio.messages.locale import PSEUDO, Locale
from vaglio.messages.message import Message

# Words of the table, ids of learners and names of parameters, which no language changes.
_DATA = re.compile(
    r"\b(outlook|temperature|humidity|windy|sunny|overcast|rainy|hot|mild|cool|high|normal|true|false|yes|no)\b"
)
_NO_LEARNER = ("voting",)


@pytest.fixture(scope="module")
def play():
    return vaglio.datasets.load("play").xy("play")


@pytest.mark.slow
@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in _NO_LEARNER])
@pytest.mark.filterwarnings("ignore")
def test_no_word_of_an_explanation_is_written_around_the_catalogue(learner, play):
    model = LEARNERS[learner].make().fit(*play)
    for explanation in model.explain(play[0][[0, 5]]):
        told = _DATA.sub("", explanation.to_text(PSEUDO))
        # The pseudo-language has no plain vowel.
        assert not re.findall(r"\b\w*[aeiou]\w*\b", told), explanation.to_text(PSEUDO)
        assert "wéîghtš" in told or "weights" not in explanation.to_text()


@pytest.mark.parametrize("learner", ["c45", "naive-bayes", "logistic", "random-forest", "knn"])
def test_an_italian_explanation_has_italian_numbers(learner, play):
    explanation = LEARNERS[learner].make().fit(*play).explain(play[0][[0]])[0]
    told = explanation.to_text("it")
    assert not re.search(r"\d\.\d", told)
    assert re.search(r"\d,\d", told)
    assert ("perché:" in told) == ("because:" in explanation.to_text())
    assert str(explanation) == explanation.to_text("en")
    assert "Perché" in explanation.to_html("it") or not explanation.reasons


def test_reasons_and_notes_carry_code_text_and_values(play):
    explanation = LEARNERS["naive-bayes"].make().fit(*play).explain(play[0][[0]])[0]
    data = json.loads(json.dumps(explanation.to_dict()))
    prior = next(reason for reason in [*data["reasons"], *data["against"]] if reason["code"] == "prior")
    assert prior["text"] == "prior: how frequent the class is"
    value = next(reason for reason in [*data["reasons"], *data["against"]] if reason["code"] == "column-value")
    assert value["text"] == f"{value['values']['column']} = {value['values']['value']}"
    assert {note["code"] for note in data["notes"]} == {"product-of-likelihoods"}


def test_help_and_parameters_of_every_learner_are_italian():
    italian = Locale("it")
    for name, learner in LEARNERS.items():
        assert isinstance(learner.help, Message), name
        assert italian.text(learner.help) != learner.help, name
        for field in parameter_fields(name):
            assert italian.say(field.meaning) != field.meaning or not field.meaning, (name, field.name)


def test_an_error_of_a_learner_is_italian(play):
    with pytest.raises(InputError) as raised:
        vaglio.DecisionTreeClassifier(monotonic_cst={"outlook": 1}).fit(*play)
    assert raised.value.message.code == "monotonic-nominal"
    assert Locale("it").text(raised.value.message).startswith("La colonna 'outlook' è nominale")


@pytest.mark.parametrize("learner", ["naive-bayes", "logistic", "knn", "ripper", "svm"])
def test_chapters_hand_over_messages(learner, play):
    class Background:
        target, ranking = "play", ()

        def __init__(self, estimator):
            self.estimator = estimator

    fitted = (estimator := LEARNERS[learner].make().fit(*play)).fitted_
    said, parts = chapters.find(fitted.model.kind)(fitted, Background(estimator), ChapterLimits())
    words = [*said, *(part["title"] for part in parts), *(part["note"] for part in parts if part.get("note"))]
    assert words
    for line in words:
        assert isinstance(line, Message), line
        assert Locale(PSEUDO).text(line) != line
        assert Locale("it").text(line) != line
