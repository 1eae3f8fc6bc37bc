"""A trace as plain data: sections of sentences, formulas and tables. ``render`` turns it into text, HTML or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from vaglio.document.notation import Notation
from vaglio.messages.listing import plain_data
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from vaglio.document.animation import Animation


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several."""

    text: str


@dataclass(frozen=True)
class Formula:
    """One line of calculation, in Unicode: ``1 − (9/14)² − (5/14)² = 0.4592``."""

    text: str


@dataclass(frozen=True)
class Step:
    """What one line of a table of steps is about.

    Attributes
    ----------
    picture : int
        The number of the picture in the animation of the learner.
    rows : tuple of int or None
        Rows of the training table, from 0; None for all of them.
    """

    picture: int
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Grid:
    """A table of words and numbers, already written out.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
    caption : str
    chosen : tuple of int
        The rows to highlight: what was chosen, which rows voted.
    steps : tuple of Step
        What each line is about, where the lines are the steps of the learner, one after the other.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    chosen: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()


Block = Paragraph | Formula | Grid


@dataclass(frozen=True)
class Section:
    """A step: a heading and what belongs to it. Level 1 is a part of the trace, level 2 a step of that part.

    Attributes
    ----------
    title : str
    blocks : tuple of Block
    level : int
    rows : tuple of int or None
        Rows of the training table that the step is about, from 0; None for all of them.
    """

    title: str
    blocks: tuple[Block, ...]
    level: int = 1
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Trace:
    """How a model was learned, step by step, in words and numbers.

    It prints as text, shows as HTML in a notebook, and can be written as HTML, LaTeX or plain data.

    Attributes
    ----------
    title : str
    lang : str
    sections : tuple of Section
    facts : dict
        The numbers of the trace, for programs: what was chosen at each step, and with which scores.
    """

    title: str
    lang: str
    sections: tuple[Section, ...]
    facts: dict[str, Any] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return the trace as text for a terminal."""
        from vaglio.document.render.text import to_text

        return to_text(self)

    @checked
    def to_html(self, animation: Animation | None = None) -> str:
        """Return the trace as an HTML page of its own, which needs no other file.

        Parameters
        ----------
        animation : Animation, optional
            The learner at work, as :func:`vaglio.tracing.make_animation` returns it.
        """
        from vaglio.document.render.html import to_page

        return to_page(self, pictures="" if animation is None else animation.to_html())

    def to_latex(self) -> str:
        """Return the trace as a LaTeX document."""
        from vaglio.document.render.latex import to_latex

        return to_latex(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        from dataclasses import asdict

        data: dict[str, Any] = plain_data(asdict(self))
        return data

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from vaglio.document.render.html import to_fragment

        return to_fragment(self)


class Page:
    """A trace that is being written: functions add to it in the order in which it is read."""

    def __init__(self, say: Notation) -> None:
        self.say = say
        self.facts: dict[str, Any] = {}
        self._sections: list[Section] = []
        self._blocks: list[Block] = []

    def section(self, title: str, level: int = 1) -> None:
        """Begin a section; everything added after it belongs to it."""
        self._close()
        self._sections.append(Section(title, (), level))

    def about_rows(self, rows: Iterable[int]) -> None:
        """Say which rows of the training table the section is about; a lecture highlights them."""
        self._sections[-1] = replace(self._sections[-1], rows=tuple(sorted({int(row) for row in rows})))

    def text(self, text: str) -> None:
        """Add a sentence, or several."""
        self._blocks.append(Paragraph(text))

    def formula(self, text: str) -> None:
        """Add one line of calculation."""
        self._blocks.append(Formula(text))

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        caption: str = "",
        chosen: Iterable[int] = (),
        most: int | None = None,
        steps: Sequence[Step] = (),
    ) -> None:
        """Add a table; of more than ``most`` rows only the first are shown, with the number of the others."""
        cells = [tuple(str(cell) for cell in row) for row in rows]
        shown = cells if most is None else cells[:most]
        marked = tuple(i for i in chosen if i < len(shown))
        self._blocks.append(Grid(tuple(columns), tuple(shown), caption, marked, tuple(steps[: len(shown)])))
        if len(shown) < len(cells):
            self.text(self.say("… and {n:,} more.", n=len(cells) - len(shown)))

    def finish(self, title: str) -> Trace:
        """Return the finished trace."""
        self._close()
        return Trace(title, self.say.lang, tuple(self._sections), self.facts)

    def _close(self) -> None:
        """Give the last section what was added since it began."""
        if self._sections:
            self._sections[-1] = replace(self._sections[-1], blocks=(*self._sections[-1].blocks, *self._blocks))
        self._blocks = []
