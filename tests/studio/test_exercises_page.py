"""The page Exercises: the next question is hidden until this one is answered or shown; everything is in the address."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.studio.conftest import Visitor

from vaglio.document.notation import Notation
from vaglio.exercises import exercise, topics
from vaglio.messages.locale import LANGUAGES
from vaglio.studio.pages.exercises import hints_of


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    visitor = Visitor(tmp_path_factory.mktemp("student") / "project")
    yield visitor
    visitor.close()


def fields_of(page: str) -> dict[str, str]:
    """What the form of the answers holds, as a browser would send it."""
    form = page[page.index('id="answers"') :]
    found = re.findall(r'name="([^"]+)" (?:class="\w+" )?value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in found if name not in ("hint", "show")}


def asked(student: Visitor, lang: str, **fields: Any) -> str:
    answer = student.get("/exercises", params=fields, headers={"accept-language": lang})
    assert answer.status_code == 200
    return str(answer.text)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("topic", topics())
def test_right_answers_lead_to_the_end_and_no_question_is_shown_before(student: Visitor, topic: str, lang: str) -> None:
    made, say = exercise(topic, seed=3, level=1, lang=lang), Notation(lang)
    page = asked(student, lang, topic=topic, seed=3)
    for number, question in enumerate(made.questions, 1):
        assert page.count('class="question') == number
        assert f'name="a.{number}" value=""' in page
        fields = fields_of(page)
        right = question.answer.written(say).rpartition(" = ")[2].replace("\u2212", "-")
        page = asked(student, lang, **{**fields, f"a.{number}": right})
    n = len(made.questions)
    assert re.search(rf'class="money" role="status">{n} (of|su) {n} ', page), topic


def test_a_wrong_answer_names_its_mistake_and_a_hint_and_the_step_follow(student: Visitor) -> None:
    made = exercise("id3", seed=17)
    mistake, wrong = made.questions[1].mistakes[0]
    first = str(made.questions[0].answer.value)
    page = asked(student, "en", topic="id3", seed=17, **{"a.1": first, "a.2": f"{float(wrong.value):.3f}"})
    assert html.escape(mistake) in page
    hints = hints_of(made.questions[1])
    for taken in range(1, len(hints) + 1):
        page = asked(student, "en", **fields_of(page), hint=2)
        assert page[page.index('class="hints"') :].count('class="formula"') == taken
    assert 'name="hint"' not in page
    answer = made.questions[1].answer.written(Notation("en"))
    assert answer.rpartition(" = ")[2] not in page[page.index('class="hints"') :]
    page = asked(student, "en", **fields_of(page), show=2)
    assert answer in page
    fields = fields_of(page)
    for number in range(3, len(made.questions) + 1):
        page = asked(student, "en", **fields_of(page), show=number)
    assert f"1 of {len(made.questions)} right without looking at the step." in page
    assert fields["s.2"] == "1"
    assert "The whole method" in page or made.trace is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"topic": "nothing"},
        {"seed": "-1"},
        {"seed": "9" * 30},
        {"level": "7"},
        {"a.1": "<script>alert(1)</script>"},
        {"h.1": "99999", "s.1": "x", "hint": "77", "show": "-2"},
        {"a.1": "1/0"},
        {"a.1": "9" * 5000},
    ],
)
def test_wrong_choices_fall_back_to_sensible_ones(student: Visitor, wrong: dict[str, str]) -> None:
    page = asked(student, "en", **wrong)
    assert 'name="a.1"' in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("topic", topics())
def test_no_hint_has_the_result(topic: str) -> None:
    for level in (1, 2, 3):
        for question in exercise(topic, seed=5, level=level).questions:
            hints = hints_of(question)
            assert len(hints) <= len(question.work)
            assert not hints or question.work[-1] not in hints
