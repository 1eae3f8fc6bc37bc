"""Named values as bars, the first on top: the rows that each rule covers, how much each column matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.plot.style import PALETTE, axes_for, draws_names, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Bars of one figure, and characters of a name beside its bar.
_MOST, _LONGEST = 20, 90


@draws_names
def draw_bars(
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    classes: Sequence[str] = (),
    ax: Axes | None = None,
    *,
    xlabel: str = text("rows"),
    locale: Locale = ENGLISH,
) -> Axes:
    """Draw a bar per name, divided by class; return the axes.

    Parameters
    ----------
    names : sequence of str
        Further ones than twenty are left out.
    values : sequence of sequence of float
        Of each name, one value per class, or a single value without classes.
    classes : sequence of str
    ax : Axes, optional
        By default those of a new figure.
    xlabel : str
        What the values are.
    locale : Locale
    """
    shown = [clip(locale.text(name), _LONGEST) for name in names[:_MOST]]
    places = range(len(shown))
    ax = axes_for(ax, size=(8.5, 1.1 + 0.34 * len(shown)))
    left = [0.0] * len(shown)
    for c, label in enumerate(classes or [""]):
        width = [row[c] for row in values[: len(shown)]]
        ax.barh(places, width, left=left, color=PALETTE[c % len(PALETTE)], height=0.7, label=label)
        left = [start + more for start, more in zip(left, width)]
    ax.set_yticks(places, shown)
    ax.set(xlabel=locale.text(xlabel), ylim=(len(shown) - 0.4, -0.6))
    if classes:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=6, frameon=False, fontsize=9)
    return quiet(ax, grid="x", locale=locale)
