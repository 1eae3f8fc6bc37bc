"""Names are drawn as they are: two dollar signs in the name of a column are no formula."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter

__all__ = ["LiteralFigure", "words_of", "write_literally"]


class LiteralFigure(Figure):
    """A matplotlib figure without formulas, but for the powers of ten on a logarithmic axis.

    Every picture of vaglio is one of these, so that no drawing has to escape the names of columns and classes. They are
    looked at just before they are drawn, when all of them are there.
    """

    def draw(self, renderer: Any) -> None:
        """Draw the figure.

        Parameters
        ----------
        renderer : RendererBase
        """
        write_literally(self, {})
        super().draw(renderer)


def words_of(figure: Figure) -> dict[Any, str]:
    """Return every text of a figure, and what it says.

    Parameters
    ----------
    figure : Figure
    """
    return {text: text.get_text() for text in figure.findobj(Text)}


def write_literally(figure: Figure, before: dict[Any, str]) -> None:
    """Let what a figure says be no formula, but for the powers of ten on a logarithmic axis.

    Parameters
    ----------
    figure : Figure
    before : dict
        What it said before (:func:`words_of`): texts that are the same now are left alone.
    """
    powers = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        if isinstance(axis.get_major_formatter(), LogFormatter)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
    }
    for text, words in words_of(figure).items():
        if before.get(text) != words:
            text.set_parse_math(text in powers)
