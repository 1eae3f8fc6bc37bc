"""A Bayesian network as a picture: the class on top, each attribute in a layer below its parents."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, draws_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Edge = tuple[str, str]

# Pixels: width of a character at 12 points, height of a node, gap between nodes, distance of layers.
_CHARACTER, _HEIGHT, _GAP, _LAYER = 7.0, 26.0, 18.0, 74.0
# A layer of many attributes continues on a second row, so that the picture stays readable.
_MOST_IN_A_ROW = 8


def place(target: str, names: Sequence[str], edges: Sequence[Edge]) -> dict[str, tuple[float, float]]:
    """Return the centre of every node: the class on row 0, an attribute below all its parents.

    The key of the class is the empty string, because an attribute may have the same name as the class.
    """
    depth = dict.fromkeys(names, 0)
    # As many rounds as the longest path has steps; the graph has no cycle.
    for _ in names:
        deeper = dict(depth)
        for parent, child in edges:
            deeper[child] = max(deeper[child], depth[parent] + 1)
        if deeper == depth:
            break
        depth = deeper
    rows: list[list[str]] = [[target]]
    for level in sorted(set(depth.values())):
        layer = [name for name in names if depth[name] == level]
        rows += [layer[i : i + _MOST_IN_A_ROW] for i in range(0, len(layer), _MOST_IN_A_ROW)]
    places = {}
    for row, layer in enumerate(rows):
        widths = [_width(name) for name in layer]
        x = -(sum(widths) + _GAP * (len(layer) - 1)) / 2
        for name, width in zip(layer, widths):
            key = "" if row == 0 else name
            places[key] = (x + width / 2, row * _LAYER)
            x += width + _GAP
    return places


def _width(name: str) -> float:
    return max(40.0, len(name) * _CHARACTER + 16)


def draw_network(target: str, names: Sequence[str], edges: Sequence[Edge]) -> str:
    """Return an SVG drawing: light lines from the class to every attribute, dark arrows from parents to children.

    Parameters
    ----------
    target : str
        Name of the class.
    names : sequence of str
        The attributes.
    edges : sequence of (parent, child)
        Arrows between attributes.
    """
    places = place(target, names, edges)
    left = min(x - _width(name or target) / 2 for name, (x, _) in places.items()) - 10
    right = max(x + _width(name or target) / 2 for name, (x, _) in places.items()) + 10
    height = max(y for _, y in places.values()) + _HEIGHT + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {-_HEIGHT:.0f} {right - left:.0f} {height:.0f}" '
        f'width="{right - left:.0f}" height="{height:.0f}" font-family="sans-serif" font-size="12">',
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path class="tip" d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
    ]
    parts += [_svg_line(places[""], places[name], MUTED, 0.6, tip=False) for name in names]
    parts += [_svg_line(places[parent], places[child], INK, 1.4, tip=True) for parent, child in edges]
    parts.append(_svg_node(target, places[""], PALETTE[0], "white"))
    parts += [_svg_node(name, places[name], "white", INK) for name in names]
    return "\n".join([*parts, "</svg>"])


def _svg_line(start: tuple[float, float], end: tuple[float, float], colour: str, width: float, tip: bool) -> str:
    marker = ' marker-end="url(#tip)"' if tip else ""
    top, bottom = start[1] + _HEIGHT / 2, end[1] - _HEIGHT / 2
    return (
        f'<line x1="{start[0]:.1f}" y1="{top:.1f}" x2="{end[0]:.1f}" y2="{bottom:.1f}" '
        f'class="{"edge strong" if tip else "edge"}" stroke="{colour}" stroke-width="{width}"{marker}/>'
    )


def _svg_node(name: str, at: tuple[float, float], fill: str, ink: str) -> str:
    width = _width(name)
    left, top = at[0] - width / 2, at[1] - _HEIGHT / 2
    css = "node" if ink == INK else "node target"
    return (
        f'<rect class="{css}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_HEIGHT}" rx="12" '
        f'fill="{fill}" stroke="{INK}"/>'
        f'<text class="{css}" x="{at[0]:.1f}" y="{at[1] + 4:.1f}" text-anchor="middle" fill="{ink}">'
        f"{escape(name)}</text>"
    )


@draws_names
def plot_network(target: str, names: Sequence[str], edges: Sequence[Edge], ax: Axes | None = None) -> Axes:
    """Draw the same picture with matplotlib.

    Parameters
    ----------
    target, names, edges
        As in :func:`draw_network`.
    ax : Axes, optional
        By default those of a new figure.
    """
    places = place(target, names, edges)
    ax = axes_for(ax, size=(7.0, 1.2 + 1.0 * len({y for _, y in places.values()})))
    for name in names:
        (x0, y0), (x1, y1) = places[""], places[name]
        ax.plot([x0, x1], [-y0, -y1], color=MUTED, linewidth=0.6, zorder=1)
    for parent, child in edges:
        (x0, y0), (x1, y1) = places[parent], places[child]
        arrow = {"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0}
        ends = (x1, -y1 + _HEIGHT / 2), (x0, -y0 - _HEIGHT / 2)
        ax.annotate("", *ends, arrowprops=arrow, zorder=2).set_in_layout(False)
    for name, (x, y) in places.items():
        fill, ink = ("white", INK) if name else (PALETTE[0], "white")
        box = {"boxstyle": "round,pad=0.4", "facecolor": fill, "edgecolor": INK}
        label = ax.text(x, -y, name or target, ha="center", va="center", color=ink, fontsize=9, bbox=box, zorder=3)
        label.set_in_layout(False)  # the limits set below leave room; labels must not shrink the axes
    ax.set_axis_off()
    widest = max(_width(name or target) for name in places)
    centres = [x for x, _ in places.values()]
    ax.set_xlim(min(centres) - widest / 2, max(centres) + widest / 2)
    ax.set_ylim(-max(y for _, y in places.values()) - _HEIGHT, _HEIGHT)
    return ax
