"""``make_lecture``: learners at work on one table, as slides with the table, the calculation and the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from vaglio.document.animation import Animation, pictures_of
from vaglio.document.document import Grid, Section, Trace
from vaglio.document.lecture import Board, Lecture, Slide
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.errors import InputError
from vaglio.learners.parameter_text import learner_from_words, learner_settings
from vaglio.learners.registry import FOR_A_LECTURE
from vaglio.runtime.arguments import checked
from vaglio.tracing.animation import make_animation
from vaglio.tracing.tracer import MAX_ROWS, MAX_STEPS, prepare, trace
from vaglio.typing import ColumnLike, Estimator, TableLike

__all__ = ["make_lecture"]


@checked
def make_lecture(
    X: TableLike,
    y: ColumnLike,
    learners: Sequence[str | Estimator] = FOR_A_LECTURE,
    *,
    row: Any = None,
    title: str = "",
    lang: str = "en",
    max_steps: int = MAX_STEPS,
) -> Lecture:
    """Make a lecture: the steps of learners on one table, as slides.

    Every slide shows the table, with the rows that the step is about highlighted, the calculation, and the picture of
    the learner at work where there is one.

    Parameters
    ----------
    X : frame, Table or array
    y : array-like
    learners : sequence of str or estimators
        Ids, also with parameters, such as "knn:n_neighbors=3"; other parameters are those of the textbook.
    row : dict, sequence or frame of one row, optional
        A row to classify.
    title : str, optional
        The name of the table, for the head of the page.
    lang : str, default="en"
        The language: "en" or "it".
    max_steps : int, default=40
        The largest number of nodes, updates or rounds of each learner.

    Returns
    -------
    Lecture
        ``to_html()`` gives one page that needs no other file.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import make_lecture
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> lecture = make_lecture(X, y, ["id3"])
    >>> [slide.rows for slide in lecture.slides if slide.title.startswith("Node 2")]
    [(0, 1, 7, 8, 10)]
    """
    say, slides, first = Notation(lang), list[Slide](), None
    for learner in learners:
        fitted = _fitted(learner, X, y)
        training = prepare(fitted, X, y, row, MAX_ROWS, max_steps, with_text=True)
        first = first or training
        work = trace(fitted, X, y, row=row, lang=lang, max_steps=max_steps)
        slides += _slides(work, make_animation(fitted, X, y, row=row, lang=lang))
    if first is None:
        raise InputError("no-learners-given", "There is no learner to try.")
    board = _board(first, say, str(getattr(y, "name", None) or say("class")))
    return Lecture(title or say("Lecture"), lang, board, tuple(slides))


def _fitted(learner: Any, X: Any, y: Any) -> Any:
    """The learner, trained once for its steps and its pictures."""
    if isinstance(learner, str):
        learner_id, params = learner_settings(learner)
        learner = learner_from_words(learner_id, params, 0, 1, textbook=True)
    return learner if hasattr(learner, "fitted_") else clone(learner).fit(X, y)


def _board(training: Training, say: Notation, target: str) -> Board:
    """The rows as the learners see them, written out."""
    columns = range(len(training.features))
    rows = tuple(
        (*(training.value(say, j, i) for j in columns), training.classes[training.y[i]]) for i in range(len(training.y))
    )
    asked = () if training.row is None else tuple(training.value(say, j, 0, training.row) for j in columns)
    names = (*(feature.name for feature in training.features), target)
    return Board(names, rows, tuple(training.y.tolist()), tuple(training.classes), asked)


def _slides(work: Trace, animation: Animation | None) -> Iterator[Slide]:
    """One slide per section, one per line of a table of steps, and one per picture that belongs to none of them."""
    used = set[int]()
    for section, picture in zip(work.sections, pictures_of(work.sections, animation), strict=True):
        if not section.blocks:
            continue
        for slide, number in _of_section(work.title, section, picture):
            shown = None if animation is None or number is None else min(number, len(animation.frames) - 1)
            used |= set() if shown is None else {shown}
            yield slide if animation is None or shown is None else _with_picture(slide, animation, shown)
    if animation is not None and not used:
        for number, frame in enumerate(animation.frames):
            rows = frame.marks.rings if frame.marks is not None and frame.marks.rings else None
            yield _with_picture(Slide(work.title, frame.caption, rows=rows), animation, number)


def _with_picture(slide: Slide, animation: Animation, number: int) -> Slide:
    return replace(slide, picture=animation.draw(number), below=animation.frames[number].tree is not None)


def _of_section(learner: str, section: Section, picture: int | None) -> Iterator[tuple[Slide, int | None]]:
    """The slides of a section, each with the number of its picture."""
    whole = Slide(learner, section.title, section.blocks, rows=section.rows)
    at = next((k for k, block in enumerate(section.blocks) if isinstance(block, Grid) and block.steps), None)
    if at is None:
        yield whole, picture
        return
    grid = section.blocks[at]
    assert isinstance(grid, Grid)
    for number, step in enumerate(grid.steps):
        # The lines up to this one: what comes later is not known yet.
        known = replace(grid, rows=grid.rows[: number + 1], chosen=(number,))
        last = number == len(grid.steps) - 1
        blocks = (*section.blocks[:at], known, *(section.blocks[at + 1 :] if last else ()))
        yield replace(whole, blocks=blocks, rows=step.rows), step.picture
