"""An exercise as plain data: what is given, questions with their answers, and the worked solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vaglio.document.document import Block, Formula, Grid, Paragraph, Section, Trace
from vaglio.document.notation import Notation
from vaglio.exercises.answers import Answer, Number

__all__ = ["Draft", "Exercise", "Question", "Result"]


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    text : str
    answer : Number, Word or Words
    work : tuple of str
        The calculation that leads to the answer, line by line.
    mistakes : tuple of (str, Answer)
        Usual mistakes: what went wrong, and the answer it leads to.
    """

    text: str
    answer: Answer
    work: tuple[str, ...] = ()
    mistakes: tuple[tuple[str, Answer], ...] = ()


@dataclass(frozen=True)
class Result:
    """What an answer is worth.

    Attributes
    ----------
    number : int
        Of the question, from 1.
    given : str
        The answer; empty for none.
    right : bool
    mistake : str
        What went wrong: a usual mistake by its name, the answer itself, or that there is none.
    """

    number: int
    given: str
    right: bool
    mistake: str = ""

    def named(self, told: Question, asked: Question, say: Notation) -> Result:
        """Return it with the mistake in the words of the same question in another language."""
        if self.right:
            return self
        names = [what for what, _ in asked.mistakes]
        if self.mistake in names:
            return replace(self, mistake=told.mistakes[names.index(self.mistake)][0])
        return replace(self, mistake=self.given or say("no answer"))


@dataclass(frozen=True)
class Exercise:
    """An exercise that was made for a seed. The same topic, seed and level give the same exercise.

    Attributes
    ----------
    topic : str
    seed, level : int
    lang : str
    title : str
    given : tuple
        Paragraphs, formulas and tables.
    questions : tuple of Question
    facts : dict
        The numbers behind it, for programs.
    trace : Trace or None
        The whole method on the same table, step by step, where a trace shows it.
    """

    topic: str
    seed: int
    level: int
    lang: str
    title: str
    given: tuple[Block, ...]
    questions: tuple[Question, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    trace: Trace | None = None

    def sheet(self) -> Trace:
        """Return what a student gets, without answers."""
        say = Notation(self.lang)
        asked = tuple(Paragraph(f"{number}. {question.text}") for number, question in enumerate(self.questions, 1))
        told = say(
            "Exercise {topic}, level {level}, number {seed}. Write decimals with point or comma, fractions as 3/8.",
            topic=self.topic,
            level=self.level,
            seed=str(self.seed),
        )
        sections = (
            Section(say("Given"), self.given),
            Section(say("Questions"), (*asked, Paragraph(told))),
        )
        return Trace(f"{self.title} · {self.seed}", self.lang, sections)

    def solution(self) -> Trace:
        """Return the questions with answers and calculations, and the whole method step by step where there is one."""
        say = Notation(self.lang)
        solved = [
            Section(
                f"{number}. {question.text}",
                (*map(Formula, question.work), Paragraph(f"→ {question.answer.written(say)}")),
                level=2,
            )
            for number, question in enumerate(self.questions, 1)
        ]
        sections = (Section(say("Given"), self.given), Section(say("Questions"), ()), *solved)
        if self.trace is not None:
            sections += (Section(self.trace.title, ()), *_below(self.trace.sections))
        return Trace(f"{self.title} · {self.seed} · {say('Solution')}", self.lang, sections)

    def form(self) -> str:
        """Return the file that a student fills in: one line per question."""
        lines = [f"# vaglio exercise {self.topic} --level {self.level} --seed {self.seed} --lang {self.lang}", ""]
        for number, question in enumerate(self.questions, 1):
            lines += [f"# {question.text}", f"{number}: ", ""]
        return "\n".join(lines)

    def check(self, answers: Mapping[int, object] | Sequence[object]) -> tuple[Result, ...]:
        """Mark answers.

        Parameters
        ----------
        answers : dict or sequence
            Answers by the number of the question from 1, or all of them in order; numbers or text.

        Examples
        --------
        >>> from vaglio.exercises import exercise
        >>> sheet = exercise("metrics", seed=1)
        >>> [result.right for result in sheet.check([sheet.questions[0].answer.value, "1/7", "", "0,9"])]
        [True, False, False, False]
        """
        given = dict(enumerate(answers, 1)) if not isinstance(answers, Mapping) else dict(answers)
        return tuple(
            self._checked(number, question, "" if given.get(number) is None else str(given[number]).strip())
            for number, question in enumerate(self.questions, 1)
        )

    def _checked(self, number: int, question: Question, given: str) -> Result:
        if question.answer.accepts(given):
            return Result(number, given, True)
        usual = next((what for what, wrong in question.mistakes if wrong.accepts(given)), given)
        return Result(number, given, False, usual or Notation(self.lang)("no answer"))

    def __str__(self) -> str:
        return self.sheet().to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.sheet()._repr_html_()


def _below(sections: Iterable[Section]) -> tuple[Section, ...]:
    return tuple(Section(section.title, section.blocks, section.level + 1) for section in sections)


class Draft:
    """An exercise that is being written: a topic adds what is given, and its questions.

    Parameters
    ----------
    say : Notation
    """

    def __init__(self, say: Notation) -> None:
        self.say = say
        self.given: list[Block] = []
        self.questions: list[Question] = []
        self.facts: dict[str, Any] = {}
        self.trace: Trace | None = None

    def text(self, text: str) -> None:
        """Add a sentence to what is given."""
        self.given.append(Paragraph(text))

    def formula(self, text: str) -> None:
        """Add a formula to what is given."""
        self.given.append(Formula(text))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> None:
        """Add a table to what is given."""
        cells = tuple(tuple(self._cell(cell) for cell in row) for row in rows)
        self.given.append(Grid(tuple(map(str, columns)), cells, caption))

    def show(self, value: Any) -> str:
        """Return a number of a calculation, with four decimals."""
        return self.say.fixed(float(value))

    def _cell(self, value: Any) -> str:
        return self.say.short(value) if isinstance(value, float | int) and not isinstance(value, bool) else str(value)

    def ask(self, text: str, answer: Answer, *work: str, mistakes: Iterable[tuple[str, Answer]] = ()) -> None:
        """Add a question, with the calculation of its answer and the answers that usual mistakes lead to."""
        if isinstance(answer, Number) and answer.digits:
            text = f"{text} {self.say('({n:,} {n:decimal|decimals} or a fraction)', n=answer.digits)}"
        # A mistake that leads to the right answer is none.
        telling = tuple((what, wrong) for what, wrong in mistakes if not _same(wrong, answer))
        self.questions.append(Question(text, answer, work, telling))


def _same(one: Answer, other: Answer) -> bool:
    if isinstance(one, Number) and isinstance(other, Number):
        return abs(float(one.value) - float(other.value)) <= 2 * 10.0**-other.digits
    return one == other
