"""A figure that writes every name as it is: two dollar signs in the name of a column are no formula."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter

__all__ = ["LiteralFigure"]


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
        powers = {
            id(label)
            for axes in self.axes
            for axis in (axes.xaxis, axes.yaxis)
            if isinstance(axis.get_major_formatter(), LogFormatter)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
            for label in (tick.label1, tick.label2)
        }
        for text in self.findobj(Text):
            text.set_parse_math(id(text) in powers)
        super().draw(renderer)
