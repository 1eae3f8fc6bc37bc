"""Exercises: a sheet made for a seed, one question at a time: the answer of the student, a hint, the step."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from vaglio.document.document import Formula, Section
from vaglio.document.notation import Notation
from vaglio.document.render.html import blocks_of
from vaglio.exercises.sheet import Exercise, Question
from vaglio.exercises.topics import LEVELS, TOPICS, exercise
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.studio.pages.page import Page

__all__ = ["ExercisesPage", "hints_of"]

_MOST_SEED = 2**32 - 1
_LONGEST = 200


class ExercisesPage(Page):
    """The page Exercises: everything it shows is in its address, so that an exercise can be given as a link."""

    title = text("Exercises")
    lead = text("Solve an exercise by hand, step by step: answer, take a hint, or look at the step.")

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the exercise, the questions that are solved and the one that is asked."""
        topic = query.get("topic", "")
        topic = topic if topic in TOPICS else next(iter(TOPICS))
        level = _number(query.get("level", ""), 1, max(LEVELS))
        seed = _number(query.get("seed", ""), 1, _MOST_SEED)
        made = self.results.get(
            ("exercise", topic, level, seed, locale.lang),
            lambda: exercise(topic, seed=seed, level=level, lang=locale.lang),
        )
        steps = _steps(made, query)
        # The next question is hidden until this one is answered or shown.
        solved = next((at for at, step in enumerate(steps) if not step["done"]), len(steps))
        return {
            "topics": {name: each.title for name, each in TOPICS.items()},
            "levels": LEVELS,
            "topic": topic,
            "level": level,
            "seed": seed,
            "title": made.title,
            "given": Markup(blocks_of(Section("", made.given))),
            "steps": steps[: solved + 1],
            "hidden": max(0, len(steps) - solved - 1),
            "right": sum(step["right"] and not step["shown"] for step in steps),
            "n_steps": len(steps),
            "finished": solved == len(steps),
            "next": min(seed + 1, _MOST_SEED),
            "whole": _whole(made) if solved == len(steps) else [],
        }


def _number(word: str, otherwise: int, high: int) -> int:
    given = int(word) if word.isdecimal() and len(word) < 11 else otherwise
    return given if given <= high else otherwise


def _steps(made: Exercise, query: dict[str, str]) -> list[dict[str, Any]]:
    """What the page shows of every question."""
    say = Notation(made.lang)
    given = {number: query.get(f"a.{number}", "").strip()[:_LONGEST] for number in range(1, len(made.questions) + 1)}
    found = []
    for result, question in zip(made.check(given), made.questions, strict=True):
        number, hints = result.number, hints_of(question)
        shown = query.get(f"s.{number}") == "1" or query.get("show") == str(number)
        taken = _number(query.get(f"h.{number}", ""), 0, len(hints)) + (query.get("hint") == str(number))
        usual = {what for what, _ in question.mistakes}
        found.append(
            {
                "number": number,
                "text": question.text,
                "given": result.given,
                "right": result.right,
                "mistake": result.mistake if result.mistake in usual else "",
                "shown": shown,
                "done": result.right or shown,
                "hints": _formulas(hints[:taken]),
                "taken": min(taken, len(hints)),
                "more": taken < len(hints),
                "work": _formulas(question.work),
                "answer": question.answer.written(say),
            }
        )
    return found


def hints_of(question: Question) -> tuple[str, ...]:
    """Return the calculation of a question line by line, without its result.

    Parameters
    ----------
    question : Question

    Examples
    --------
    >>> from vaglio.exercises import exercise
    >>> hints_of(exercise("id3", seed=17).questions[1])[-1].endswith("= …")
    True
    """
    *before, last = question.work or ("",)
    begun, equals, _ = last.rpartition(" = ")
    return (*before, f"{begun} = …") if equals else tuple(before)


def _formulas(lines: tuple[str, ...]) -> Markup:
    return Markup(blocks_of(Section("", tuple(map(Formula, lines)))))


def _whole(made: Exercise) -> list[dict[str, Any]]:
    """The whole method on the same table, where a trace shows it."""
    if made.trace is None:
        return []
    return [
        {"title": section.title, "level": section.level, "html": Markup(blocks_of(section))}
        for section in made.trace.sections
    ]
