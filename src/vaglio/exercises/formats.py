"""Exercises as files: HTML and LaTeX for paper, a notebook, and questions for Moodle."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from itertools import permutations
from typing import Any
from xml.sax.saxutils import escape as xml_escape

from vaglio.document.document import Section
from vaglio.document.notation import Notation
from vaglio.document.render.html import blocks_of, to_page
from vaglio.document.render.latex import to_latex
from vaglio.document.render.text import to_text
from vaglio.exercises.answers import Number, Word
from vaglio.exercises.sheet import Exercise, Question

__all__ = ["FORMATS", "written"]


def written(exercises: Sequence[Exercise], form: str, solutions: bool = False) -> str:
    """Return exercises as a file.

    Parameters
    ----------
    exercises : sequence of Exercise
    form : str
        One of ``FORMATS``.
    solutions : bool
        Whether the worked solutions follow; a notebook and Moodle know the answers anyway.
    """
    return FORMATS[form](exercises, solutions)


def _documents(exercises: Sequence[Exercise], solutions: bool) -> list[Any]:
    sheets = [each.sheet() for each in exercises]
    return [*sheets, *(each.solution() for each in exercises)] if solutions else sheets


def _text(exercises: Sequence[Exercise], solutions: bool) -> str:
    return "\n\n".join(to_text(document) for document in _documents(exercises, solutions)) + "\n"


def _html(exercises: Sequence[Exercise], solutions: bool) -> str:
    return to_page(*_documents(exercises, solutions))


def _latex(exercises: Sequence[Exercise], solutions: bool) -> str:
    return to_latex(*_documents(exercises, solutions))


def _forms(exercises: Sequence[Exercise], solutions: bool) -> str:
    return "\n".join(each.form() for each in exercises)


def _notebook(exercises: Sequence[Exercise], solutions: bool) -> str:
    """A notebook with a cell per answer; the last cell of each exercise marks them."""
    cells: list[dict[str, Any]] = []
    for each in exercises:
        say = Notation(each.lang)
        cells.append(_markdown(f"# {each.title}\n\n{blocks_of(Section('', each.given))}"))
        for number, question in enumerate(each.questions, 1):
            cells += [_markdown(f"**{number}.** {question.text}"), _code(f'answer_{number} = ""')]
        names = ", ".join(f"answer_{number}" for number in range(1, len(each.questions) + 1))
        call = f'exercise("{each.topic}", seed={each.seed}, level={each.level}, lang="{each.lang}")'
        cells.append(
            _code(
                f"# {say('Run this cell to mark your answers.')}\nfrom vaglio.exercises import exercise\n\n"
                f"for result in {call}.check([{names}]):\n"
                '    print(result.number, "✓" if result.right else "✗", result.mistake)'
            )
        )
        if solutions:
            told = to_text(each.solution())
            cells.append(
                _markdown(f"<details><summary>{escape(say('Solution'))}</summary><pre>{escape(told)}</pre></details>")
            )
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return (
        json.dumps(
            {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source}


def _moodle(exercises: Sequence[Exercise], solutions: bool) -> str:
    """Questions to import into Moodle: numbers with a tolerance, words with what is right beside them."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', "<quiz>"]
    for each in exercises:
        parts.append(
            '<question type="category"><category>'
            f"<text>$course$/vaglio/{xml_escape(each.title)}</text></category></question>"
        )
        parts += [_moodle_question(each, number, question) for number, question in enumerate(each.questions, 1)]
    return "\n".join([*parts, "</quiz>"]) + "\n"


def _moodle_question(each: Exercise, number: int, question: Question) -> str:
    say, answer = Notation(each.lang), question.answer
    order = "" if isinstance(answer, Number | Word) else f" {say('(in increasing order, with commas)')}"
    shown = f"{blocks_of(Section('', each.given))}<p>{escape(question.text + order)}</p>"
    kind = "numerical" if isinstance(answer, Number) else "shortanswer"
    right = [_moodle_answer(value, 100, tolerance) for value, tolerance in _moodle_values(answer)]
    wrong = [
        _moodle_answer(value, 0, tolerance, what)
        for what, usual in question.mistakes
        for value, tolerance in _moodle_values(usual)
    ]
    told = "".join(f"<p>{escape(line)}</p>" for line in (*question.work, answer.written(say)))
    return "\n".join(
        [
            f'<question type="{kind}">',
            f"<name><text>{xml_escape(f'{each.topic} {each.level} {each.seed} {number}')}</text></name>",
            f'<questiontext format="html"><text>{xml_escape(shown)}</text></questiontext>',
            f'<generalfeedback format="html"><text>{xml_escape(told)}</text></generalfeedback>',
            "<usecase>0</usecase>" if kind == "shortanswer" else "",
            *right,
            *wrong,
            "</question>",
        ]
    )


def _moodle_values(answer: Any) -> list[tuple[str, str]]:
    if isinstance(answer, Number):
        return [(repr(float(answer.value)), repr(10.0**-answer.digits if answer.digits else 0.0))]
    if isinstance(answer, Word):
        return [(word, "") for word in (answer.value, *answer.others)]
    ordered = sorted(answer.values, key=lambda word: (len(word), word))
    forms = [", ".join(ordered), ",".join(ordered), " ".join(ordered)]
    # Moodle compares text: with few words, every order is one of the answers.
    forms += [", ".join(some) for some in permutations(ordered)] if len(ordered) <= 3 else []
    return [(form, "") for form in dict.fromkeys(forms)]


def _moodle_answer(value: str, fraction: int, tolerance: str, told: str = "") -> str:
    within = f"<tolerance>{tolerance}</tolerance>" if tolerance else ""
    feedback = f"<feedback><text>{xml_escape(told)}</text></feedback>"
    return (
        f'<answer fraction="{fraction}" format="plain_text"><text>{xml_escape(value)}</text>{within}{feedback}</answer>'
    )


FORMATS: dict[str, Callable[[Sequence[Exercise], bool], str]] = {
    "text": _text,
    "html": _html,
    "latex": _latex,
    "notebook": _notebook,
    "moodle": _moodle,
    "form": _forms,
}
