"""A worked example as plain data: sections of sentences, formulas and tables. How it looks is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from vaglio.text.listing import plain_data
from vaglio.tracing.catalogue import Words


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several."""

    text: str


@dataclass(frozen=True)
class Formula:
    """One line of calculation, in Unicode: ``1 − (9/14)² − (5/14)² = 0.4592``."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table of words and numbers, already written out.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
    caption : str
    chosen : tuple of int
        The rows that matter: what was chosen, who voted.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    chosen: tuple[int, ...] = ()


Block = Paragraph | Formula | Grid


@dataclass(frozen=True)
class Section:
    """A step of the work: a heading and what belongs to it; level 1 is a part, level 2 a step of it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 1


@dataclass(frozen=True)
class Trace:
    """How a model came about, step by step, in words and numbers.

    It prints as text, shows itself in a notebook, and can be had as HTML, LaTeX or plain data.

    Attributes
    ----------
    title : str
    lang : {"en", "it"}
    sections : tuple of Section
    facts : dict
        The numbers of the work, for programs: what was chosen where, and with which scores.
    """

    title: str
    lang: str
    sections: tuple[Section, ...]
    facts: dict[str, Any] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return the work as text for a terminal."""
        from vaglio.tracing.render.text import to_text

        return to_text(self)

    def to_html(self) -> str:
        """Return the work as a page of its own, which needs nothing else."""
        from vaglio.tracing.render.html import to_page

        return to_page(self)

    def to_latex(self) -> str:
        """Return the work as a LaTeX document."""
        from vaglio.tracing.render.latex import to_latex

        return to_latex(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        from dataclasses import asdict

        return plain_data(asdict(self))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from vaglio.tracing.render.html import to_fragment

        return to_fragment(self)


class Page:
    """A trace being written."""

    def __init__(self, say: Words) -> None:
        self.say = say
        self.facts: dict[str, Any] = {}
        self._sections: list[tuple[str, int, list[Block]]] = []

    def section(self, title: str, level: int = 1) -> None:
        """Begin a section; what is added next belongs to it."""
        self._sections.append((title, level, []))

    def text(self, text: str) -> None:
        self._sections[-1][2].append(Paragraph(text))

    def formula(self, text: str) -> None:
        self._sections[-1][2].append(Formula(text))

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        caption: str = "",
        chosen: Iterable[int] = (),
        most: int | None = None,
    ) -> None:
        """Add a table; of more than ``most`` rows the first are shown, and how many more there are."""
        cells = [tuple(str(cell) for cell in row) for row in rows]
        shown = cells if most is None else cells[:most]
        marked = tuple(i for i in chosen if i < len(shown))
        self._sections[-1][2].append(Grid(tuple(columns), tuple(shown), caption, marked))
        if len(shown) < len(cells):
            self.text(self.say("more_rows", n=len(cells) - len(shown)))

    def finish(self, title: str) -> Trace:
        sections = tuple(Section(heading, tuple(blocks), level) for heading, level, blocks in self._sections)
        return Trace(title, self.say.lang, sections, self.facts)
