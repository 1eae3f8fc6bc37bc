"""Marking: answer files to a table of marks and the commonest mistakes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaglio.document.notation import Notation
from vaglio.errors import InputError
from vaglio.exercises.sheet import Exercise, Result
from vaglio.exercises.topics import exercise
from vaglio.messages.locale import LANGUAGES

__all__ = ["Marked", "Marks", "mark"]

# The first line of a form names its exercise by the command that makes it.
_HEAD = re.compile(r"#\s*vaglio exercise ([\w-]{1,40}) --level ([123]) --seed (\d{1,10}) --lang (\w{2})\s*")
_LINE = re.compile(r"\s*(\d{1,3})\s*(?:[:)=]|\.(?=\s))\s*(.*)")
# A form with answers has some kilobytes; a longer file is something else.
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class Marked:
    """What one file is worth.

    Attributes
    ----------
    name : str
        Of the file, without its suffix.
    exercise : Exercise
    results : tuple of Result
        One per question.
    """

    name: str
    exercise: Exercise
    results: tuple[Result, ...]

    @property
    def right(self) -> int:
        """Number of right answers."""
        return sum(result.right for result in self.results)


@dataclass(frozen=True)
class Marks:
    """The marks of several files.

    Attributes
    ----------
    marked : tuple of Marked
    """

    marked: tuple[Marked, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per file: its exercise, right answers, and the share of them."""
        return [
            {
                "file": each.name,
                "exercise": each.exercise.topic,
                "level": each.exercise.level,
                "seed": each.exercise.seed,
                "right": each.right,
                "questions": len(each.results),
                "share": round(each.right / len(each.results), 4),
                "wrong": " ".join(str(result.number) for result in each.results if not result.right),
            }
            for each in self.marked
        ]

    def mistakes(self) -> list[dict[str, Any]]:
        """Return what went wrong, the commonest first: exercise, number of the question, the mistake, how often."""
        found = Counter(
            (each.exercise.topic, result.number, str(result.mistake))
            for each in self.marked
            for result in each.results
            if not result.right
        )
        # Equally frequent ones stand in the order of exercises and questions.
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [
            {"exercise": topic, "question": number, "mistake": mistake, "times": times}
            for (topic, number, mistake), times in ordered
        ]


def mark(files: Iterable[str | Path], *, lang: str = "en") -> Marks:
    """Mark files of answers.

    Each file is the form of an exercise (:meth:`Exercise.form`) with answers behind the colons. Numbers may be decimals
    with point or comma, fractions or percentages.

    Parameters
    ----------
    files : iterable of path
    lang : str, default="en"
        The language in which mistakes are named.

    Returns
    -------
    Marks

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from vaglio.exercises import exercise, mark
    >>> form = exercise("knn", seed=3).form()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ada.txt"
    ...     _ = path.write_text(form.replace("4: ", "4: B"))
    ...     marks = mark([path])
    >>> [(row["file"], row["right"], row["questions"]) for row in marks.to_rows()]
    [('ada', 1, 5)]
    """
    return Marks(tuple(_marked(Path(path), lang) for path in files))


def _marked(path: Path, lang: str) -> Marked:
    made, answers = read_form(_text(path), path.name)
    say = Notation(lang)
    # The same numbers in the language of the reader: only the names of mistakes differ.
    told = made if made.lang == lang else exercise(made.topic, seed=made.seed, level=made.level, lang=lang)
    results = made.check(answers)
    named = tuple(
        result.named(told.questions[result.number - 1], made.questions[result.number - 1], say) for result in results
    )
    return Marked(path.stem, made, named)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            "cannot-read-answers", "Cannot read {path}: {reason}.", path=path, reason=error.strerror or str(error)
        ) from None
    if len(data) > _MOST_BYTES:
        raise InputError("answers-too-long", "{path} is too long for a form with answers.", path=path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def read_form(text: str, name: str) -> tuple[Exercise, dict[int, str]]:
    """Return the exercise of a form, and the answers by the number of the question.

    Parameters
    ----------
    text : str
    name : str
        Of the file, for errors.
    """
    lines = text.splitlines()
    head = next((found for line in lines if (found := _HEAD.match(line))), None)
    if head is None:
        raise InputError(
            "no-exercise-in-answers",
            "{name} does not say which exercise it answers. Its first line must be that of the form, "
            "'# vaglio exercise TOPIC --level N --seed N --lang LANG'.",
            name=name,
        )
    topic, level, seed, lang = head.groups()
    if lang not in LANGUAGES:
        raise InputError(
            "answers-language", "{name} is in the language {lang!r}, which vaglio lacks.", name=name, lang=lang
        )
    made = exercise(topic, seed=int(seed), level=int(level), lang=lang)
    answers: dict[int, str] = {}
    for line in lines:
        found = None if line.lstrip().startswith("#") else _LINE.match(line)
        if found is not None and found[2].strip():
            number = int(found[1])
            if number not in range(1, len(made.questions) + 1):
                raise InputError(
                    "no-such-question",
                    "{name} answers question {number:,}, but the exercise has {n:,} questions.",
                    name=name,
                    number=number,
                    n=len(made.questions),
                )
            if number in answers:
                raise InputError(
                    "answered-twice",
                    "{name} answers question {number:,} twice. Delete one answer.",
                    name=name,
                    number=number,
                )
            answers[number] = found[2].strip()
    return made, answers
