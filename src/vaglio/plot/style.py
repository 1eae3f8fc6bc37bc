"""The common style of all figures, and figures and HTML for files.

A palette for colour-blind readers, light axes, a grid of small panels; a figure as bytes or as an SVG element, a
fragment of HTML as a whole page.
"""

from __future__ import annotations

import functools
import html
import inspect
import io
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from vaglio.errors import InputError
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Message

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GRID",
    "INK",
    "MUTED",
    "PALETTE",
    "WARN",
    "axes_for",
    "axes_grid",
    "class_colours",
    "class_legend",
    "draws_names",
    "figure_bytes",
    "figure_svg",
    "html_page",
    "legend_outside",
    "panel_grid",
    "quiet",
    "translate_ticks",
]

P = ParamSpec("P")
R = TypeVar("R")

# Okabe and Ito's colours, the strongest first, and two more; their yellow is left out because it vanishes on white.
# Classes beyond the eighth use the colours again.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5D3A9B", "#8C510A")
# Text and main lines; secondary lines; grid lines; what is wrong.
INK = "#222222"
MUTED = "#8A8A8A"
GRID = "#E4E4E4"
WARN = "#B22222"
# A legend with more entries would cover the lines of its axes.
_MOST_INSIDE = 6
# Panels side by side; more would be too small to read.
_PANELS_ACROSS = 4
# The page loads nothing from elsewhere, so its style is written into it.
_PAGE_STYLE = (
    "body{font-family:system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}"
    "table{display:block;overflow-x:auto}svg{max-width:100%;height:auto}pre{overflow-x:auto}"
    # Drawings have the colours of paper.
    ":root{color-scheme:light dark}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4eaf0;background:#11171d}body svg{background:#fff}}"
    "@page{size:A4;margin:16mm 15mm}@media print{body{margin:0;max-width:none}}"
)


def axes_for(ax: Axes | None, *, size: tuple[float, float] = (5.2, 4.4)) -> Axes:
    """Return the axes given, or those of a new figure of this size in inches."""
    return axes_grid(1, 1, size)[1][0][0] if ax is None else ax


def draws_names(draw: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that draws on ``ax``: what it writes on axes of the user's own is no formula either.

    On figures of ours nothing is; on others a name with dollar signs would be one, and an error as often as not.

    Parameters
    ----------
    draw : callable
        It has a parameter ``ax``.
    """
    signature = inspect.signature(draw)

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        ax: Any = signature.bind(*args, **kwargs).arguments.get("ax")
        if ax is None:
            return draw(*args, **kwargs)
        from vaglio.plot.literal_figure import words_of, write_literally

        before = words_of(ax.figure)
        try:
            return draw(*args, **kwargs)
        finally:
            write_literally(ax.figure, before)

    return drawn


def axes_grid(lines: int, across: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """Return a new figure of this size in inches, and its axes as an array of lines. All figures are made here.

    Parameters
    ----------
    lines, across : int
    size : (float, float)
    """
    import matplotlib.pyplot as plt

    from vaglio.plot.literal_figure import LiteralFigure

    return plt.subplots(lines, across, figsize=size, squeeze=False, layout="constrained", FigureClass=LiteralFigure)


def class_colours(labels: Sequence[object]) -> dict[object, str]:
    """Return a colour per class: the same colours wherever the classes are in the same order."""
    return {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(labels)}


def quiet(ax: Axes, *, grid: Literal["both", "x", "y"] | None = "both", locale: Locale = ENGLISH) -> Axes:
    """Remove the frame at the top and right, add thin grid lines, and write the numbers beside them in a language.

    Parameters
    ----------
    ax : Axes
    grid : {"both", "x", "y"} or None, default="both"
        The axes that get grid lines.
    locale : Locale
    """
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=INK, labelsize=9)
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(True, axis=grid, color=GRID, linewidth=0.8)
    translate_ticks(ax, locale)
    return ax


def translate_ticks(ax: Axes, locale: Locale) -> None:
    """Write the numbers beside the grid lines with the marks of a language."""
    if locale.lang == "en":
        return
    from matplotlib.ticker import ScalarFormatter

    class Translated(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return locale.marks(super().__call__(x, pos))

    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            axis.set_major_formatter(Translated())


def legend_outside(ax: Axes, n_entries: int, **kwargs: Any) -> None:
    """Add a legend: inside the axes while it is short, beside them when it would cover the lines.

    Parameters
    ----------
    ax : Axes
    n_entries : int
        The number of lines of the legend.
    **kwargs
        Passed on to matplotlib.
    """
    if n_entries > _MOST_INSIDE:
        kwargs = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), **kwargs}
    ax.legend(frameon=False, fontsize=9, **kwargs)


def class_legend(figure: Figure, labels: Sequence[object], note: str = "", *, locale: Locale = ENGLISH) -> None:
    """Add one legend of class colours above all panels of a figure, and a note below them."""
    from matplotlib.patches import Patch

    if labels:
        named = [locale.text(label) if isinstance(label, Message) else str(label) for label in labels]
        patches = [Patch(color=PALETTE[k % len(PALETTE)], label=name) for k, name in enumerate(named)]
        figure.legend(
            handles=patches, loc="outside upper center", ncols=min(len(patches), 6), frameon=False, fontsize=9
        )
    if note:
        figure.supxlabel(locale.text(note), fontsize=8, color=MUTED)


def panel_grid(n_panels: int, *, size: tuple[float, float] = (2.9, 2.3)) -> tuple[Figure, list[Axes]]:
    """Return a figure of small panels, and the axes of the panels.

    Parameters
    ----------
    n_panels : int
    size : (float, float), default=(2.9, 2.3)
        Width and height of a panel in inches.
    """
    if n_panels < 1:
        raise InputError("no-column-to-draw", "There is no column to draw.")
    across = min(_PANELS_ACROSS, n_panels)
    lines = -(-n_panels // across)
    # The rest of an inch is for a legend, a title or a note.
    inches = (size[0] * across, size[1] * lines + 0.3)
    figure, axes = axes_grid(lines, across, inches)
    panels: list[Axes] = axes.ravel().tolist()
    for ax in panels[n_panels:]:
        ax.set_visible(False)
    return figure, panels[:n_panels]


def html_page(title: str, body: str, lang: str = "en") -> str:
    """Return a whole page around a fragment: readable offline, on a phone and on paper.

    >>> html_page("a & b", "<p>x</p>").startswith("<!doctype html>")
    True
    """
    name = html.escape(Locale(lang).text(title))
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{_PAGE_STYLE}</style></head>\n<body><main><h1>{name}</h1>\n{body}\n</main></body></html>\n"
    )


def figure_bytes(figure: Figure, format: str) -> bytes:
    """Return a matplotlib figure as svg, png or pdf, and close it. The same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    format : {"svg", "png", "pdf"}
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    out = io.BytesIO()
    # The date of writing and the random names of SVG parts would make every file different.
    dateless = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    with mpl.rc_context({"svg.hashsalt": "vaglio"}):
        figure.savefig(out, format=format, dpi=150, metadata=dateless)
    plt.close(figure)
    return out.getvalue()


def figure_svg(figure: Figure, title: str) -> str:
    """Return a figure as an SVG element to put into a page, with a title for screen readers."""
    text = figure_bytes(figure, "svg").decode()
    drawing = text[text.index("<svg") :]
    label = f'<svg role="img" aria-label="{html.escape(title, quote=True)}"'
    # Parts of two drawings in one page must not have the same name.
    prefix = re.sub(r"\W+", "-", title)
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    return drawing.replace("<svg", label, 1)
