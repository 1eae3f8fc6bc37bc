"""A decision tree as a picture: SVG, matplotlib, or text with box characters. The caller gives the tree as plain boxes.

Every element has its colour as an attribute, so that the file can be viewed alone, and a CSS class, so that a page with
a dark theme can replace the colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import text
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, draws_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More leaves than this do not fit side by side on a page.
_MOST_ACROSS = 10
# Levels of the text that are shown by indentation.
_MOST_INDENTED = 40
# Pixels of a node: width of a character at 11 points, height of a line, margin, height of the bar of class shares.
_CHARACTER, _LINE, _PAD, _BAR = 6.4, 14, 8, 5
# Pixels of the outline: height of a line, indentation per level, width of the bars.
_ROW, _INDENT, _BARS = 20, 22, 120
# Pixels between two levels, for the edge and its text; and between the picture and its frame.
_BETWEEN, _FRAME = 44, 10
_TITLE = text("Decision tree")


@dataclass
class Box:
    """One node of a drawing.

    Attributes
    ----------
    title : str
        What the node tests, or the class of a leaf.
    lines : sequence of str
        Smaller text below the title.
    shares : sequence of float
        Class shares, drawn as a bar; empty for none.
    edge : str
        The outcome of the parent's test that leads here.
    leaf : bool
    children : list of Box
    address : str
        Where a click on the node leads, in a page; empty for nowhere.
    """

    title: str
    lines: Sequence[str] = ()
    shares: Sequence[float] = ()
    edge: str = ""
    leaf: bool = False
    children: list[Box] = field(default_factory=list)
    address: str = ""


@dataclass
class _Placed:
    box: Box
    depth: int
    parent: int


def draw_tree_text(root: Box, *, locale: Locale = ENGLISH) -> str:
    """Return the tree as text with box characters, one line per node; below forty levels the depth is a number."""
    lines = list[str]()
    # A stack instead of recursion: a tree may be deeper than Python's recursion limit.
    stack: list[tuple[Box, str, str, int]] = [(root, "", "", 0)]
    while stack:
        box, lead, below, depth = stack.pop()
        box = _in_language(box, locale)
        if depth > _MOST_INDENTED:
            # Lines that grow with the depth would make the text of a very deep tree grow with its square.
            lead = f"{depth}: {lead[-3 * _MOST_INDENTED :]}"
        edge = f"{box.edge}: " if box.edge else ""
        detail = f"  ({', '.join(box.lines)})" if box.lines else ""
        arrow = "→ " if box.leaf else ""
        lines.append(f"{lead}{edge}{arrow}{box.title}{detail}")
        last = len(box.children) - 1
        for i in range(last, -1, -1):
            corner, stem = ("└─ ", "   ") if i == last else ("├─ ", "│  ")
            kept = below[-3 * _MOST_INDENTED :]
            stack.append((box.children[i], kept + corner, kept + stem, depth + 1))
    return "\n".join(lines)


def draw_tree_svg(root: Box, classes: Sequence[str] = (), title: str = _TITLE, *, locale: Locale = ENGLISH) -> str:
    """Return the tree as SVG: from the top down if it fits a page, else as an outline with one line per node.

    Parameters
    ----------
    root : Box
    classes : sequence of str
        For the legend; empty for none.
    title : str
        For screen readers.
    locale : Locale
    """
    title = locale.text(title)
    placed = _numbered(root, locale)
    leaves = sum(not p.box.children for p in placed)
    width, height, body = _top_down(placed) if leaves <= _MOST_ACROSS else _outline(placed)
    width = max(width, 260.0)
    legend = ""
    if classes:
        legend, height = _legend(classes, height + 6, width)
    # Links inside an image would not be read out: a drawing with links is a group.
    role = "group" if root.address else "img"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="{role}" aria-label="{escape(title)}" '
        f'font-family="system-ui, sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect class="paper" width="100%" height="100%" fill="#ffffff"/>{body}{legend}</svg>'
    )


@draws_names
def draw_tree_axes(root: Box, classes: Sequence[str] = (), ax: Axes | None = None, *, locale: Locale = ENGLISH) -> Axes:
    """Draw the tree from the top down with matplotlib; return the axes.

    Parameters
    ----------
    root : Box
    classes : sequence of str
        For the legend; empty for none.
    ax : Axes, optional
        By default those of a new figure, as large as the tree needs.
    locale : Locale
    """
    placed = _numbered(root, locale)
    at = _Layout.of(placed)
    # A unit of the layout is a point of the new figure, which has room for a line of the legend below.
    ax = axes_for(ax, size=(max(at.across, 260) / 72, (at.down + 30) / 72))
    ax.set(xlim=(0, at.across), ylim=(at.down, 0))
    ax.set_axis_off()
    for i, p in enumerate(placed):
        if p.parent >= 0:
            x1, y1, x2, y2 = at.edge(i, p.parent)
            ax.plot([x1, x1, x2, x2], [y1, y1 + 12, y1 + 12, y2], color=MUTED, linewidth=0.8, zorder=1)
            ax.text(x2, y2 - 12, p.box.edge, ha="center", va="center", fontsize=9, color=INK, zorder=3).set_bbox(
                {"facecolor": "white", "edgecolor": "none", "pad": 1}
            )
        _draw_box(ax, p.box, at.centre[i], at.top[i], at.width[i], at.height[i])
    if classes:
        from matplotlib.patches import Patch

        patches = [Patch(color=PALETTE[c % len(PALETTE)], label=name) for c, name in enumerate(classes)]
        ax.legend(handles=patches, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=6, frameon=False, fontsize=9)
    return ax


def _draw_box(ax: Axes, box: Box, centre: float, top: float, width: float, height: float) -> None:
    from matplotlib.patches import Rectangle

    x, strongest = centre - width / 2, _strongest(box)
    frame = MUTED if strongest is None else PALETTE[strongest]
    ax.add_patch(Rectangle((x, top), width, height, facecolor="#fbfbfb" if box.leaf else "#f1f4f8", edgecolor=frame))
    for line, told in enumerate([box.title, *box.lines]):
        weight = "bold" if line == 0 and box.leaf else "normal"
        at = top + line * _LINE + _LINE / 2 + 3
        ax.text(centre, at, told, ha="center", va="center", fontsize=9, color=INK, fontweight=weight)
    left = x + 4
    for c, share in enumerate(box.shares):
        part = share * (width - 8)
        colour = PALETTE[c % len(PALETTE)]
        ax.add_patch(Rectangle((left, top + height - _BAR - 3), part, _BAR, facecolor=colour, edgecolor="none"))
        left += part


def _strongest(box: Box) -> int | None:
    """The colour of the class that a leaf predicts."""
    if not box.leaf or not len(box.shares):
        return None
    return max(range(len(box.shares)), key=lambda c: box.shares[c]) % len(PALETTE)


def _numbered(root: Box, locale: Locale) -> list[_Placed]:
    """Number the boxes depth first: a parent comes before its children."""
    placed: list[_Placed] = []
    stack = [(root, 0, -1)]
    while stack:
        box, depth, parent = stack.pop()
        placed.append(_Placed(_in_language(box, locale), depth, parent))
        stack.extend((child, depth + 1, len(placed) - 1) for child in reversed(box.children))
    return placed


def _in_language(box: Box, locale: Locale) -> Box:
    """Return a box with its texts in the language of the reader."""
    return replace(
        box, title=locale.text(box.title), lines=tuple(map(locale.text, box.lines)), edge=locale.text(box.edge)
    )


def _spread(placed: list[_Placed], widths: Sequence[float]) -> tuple[list[float], float]:
    """Return the centre of each box and the width of the whole: every subtree gets the width it needs."""
    need = [max(w, len(p.box.edge) * _CHARACTER) + 14 for p, w in zip(placed, widths)]
    below = [0.0] * len(placed)
    span = [0.0] * len(placed)
    for i in range(len(placed) - 1, -1, -1):
        span[i] = max(need[i], below[i])
        if placed[i].parent >= 0:
            below[placed[i].parent] += span[i]
    start, taken, centre = [0.0] * len(placed), [0.0] * len(placed), [0.0] * len(placed)
    for i, p in enumerate(placed):
        if p.parent >= 0:
            q = p.parent
            # Children narrower than their parent stand in the middle below it.
            start[i] = start[q] + (span[q] - below[q]) / 2 + taken[q]
            taken[q] += span[i]
    ends: dict[int, list[float]] = {}
    for i in range(len(placed) - 1, -1, -1):
        middle = (ends[i][0] + ends[i][-1]) / 2 if i in ends else start[i] + span[i] / 2
        centre[i] = min(max(middle, start[i] + need[i] / 2), start[i] + span[i] - need[i] / 2)
        ends.setdefault(placed[i].parent, []).append(centre[i])
    return [_FRAME + c for c in centre], span[0] + 2 * _FRAME


# -- from the top down ---------------------------------------------------------------------------------------------


@dataclass
class _Layout:
    """Where boxes stand: centre, top, width and height of each, and the size of the whole."""

    centre: list[float]
    top: list[float]
    width: list[float]
    height: list[float]
    across: float
    down: float

    @classmethod
    def of(cls, placed: list[_Placed]) -> _Layout:
        widths = [_width(p.box) for p in placed]
        heights: list[float] = [
            (1 + len(p.box.lines)) * _LINE + _PAD + (_BAR + 4 if len(p.box.shares) else 0) for p in placed
        ]
        level = [0.0] * (max(p.depth for p in placed) + 1)
        for p, h in zip(placed, heights):
            level[p.depth] = max(level[p.depth], h)
        tops = [float(_FRAME)]
        for h in level[:-1]:
            tops.append(tops[-1] + h + _BETWEEN)
        centre, across = _spread(placed, widths)
        down = tops[-1] + level[-1] + _FRAME
        return cls(centre, [tops[p.depth] for p in placed], widths, heights, across, down)

    def edge(self, child: int, parent: int) -> tuple[float, float, float, float]:
        """The ends of the line from a parent to its child: x and y below the parent, x and y above the child."""
        return self.centre[parent], self.top[parent] + self.height[parent], self.centre[child], self.top[child]


def _top_down(placed: list[_Placed]) -> tuple[float, float, str]:
    at = _Layout.of(placed)
    body = [_edge(p.box.edge, *at.edge(i, p.parent)) for i, p in enumerate(placed) if p.parent >= 0]
    for i, p in enumerate(placed):
        body.append(_node(p.box, at.centre[i] - at.width[i] / 2, at.top[i], at.width[i], at.height[i]))
    return at.across, at.down, "".join(body)


def _width(box: Box) -> float:
    longest = max([len(box.title) * 1.08, *(len(line) for line in box.lines)])
    return max(46.0, longest * _CHARACTER + 2 * _PAD)


def _edge(text: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<path d="M{x1:.1f} {y1:.1f}V{y1 + 12:.1f}H{x2:.1f}V{y2:.1f}" class="edge" fill="none" stroke="#999"/>'
        f'<text x="{x2:.1f}" y="{y2 - 8:.1f}" text-anchor="middle" class="answer" fill="#444" stroke="#fff" '
        f'stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )


def _node(box: Box, x: float, y: float, width: float, height: float) -> str:
    fill = "#fbfbfb" if box.leaf else "#f1f4f8"
    strongest = _strongest(box)
    css, stroke = ("box", "#777") if strongest is None else (f"box line{strongest}", PALETTE[strongest])
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
        f'class="{css}" fill="{fill}" stroke="{stroke}"/>'
    ]
    for i, line in enumerate([box.title, *box.lines]):
        style = f'font-weight="{600 if box.leaf else 500}"' if i == 0 else 'class="soft" fill="#555"'
        parts.append(
            f'<text x="{x + width / 2:.1f}" y="{y + (i + 1) * _LINE:.1f}" text-anchor="middle" {style}>'
            f"{escape(line)}</text>"
        )
    parts.append(_bar(box.shares, x + 4, y + height - _BAR - 3, width - 8, _BAR))
    return _linked(box, "".join(parts))


def _linked(box: Box, body: str) -> str:
    if not box.address:
        return body
    label = escape(_line_text(box).strip(), quote=True)
    return f'<a href="{escape(box.address, quote=True)}" aria-label="{label}" data-live="">{body}</a>'


# -- one line per node ---------------------------------------------------------------------------------------------


def _outline(placed: list[_Placed]) -> tuple[float, float, str]:
    """Draw one node below the other: hundreds of leaves side by side would be too wide for any screen."""
    x = [14 + _INDENT * p.depth for p in placed]
    y = [10 + _ROW * (i + 0.5) for i in range(len(placed))]
    ends = [x[i] + _CHARACTER * len(_line_text(p.box)) + 24 for i, p in enumerate(placed)]
    bars = max(ends) + 10
    body = []
    for middle in y[1::2]:
        body.append(
            f'<rect class="stripe" x="0" y="{middle - _ROW / 2:.1f}" width="100%" height="{_ROW}" fill="#f7f8fa"/>'
        )
    for i, p in enumerate(placed):
        if p.parent >= 0:
            stem = x[p.parent] + 4
            body.append(
                f'<path d="M{stem:.1f} {y[p.parent] + 6:.1f}V{y[i]:.1f}H{x[i] - 3:.1f}" class="edge" fill="none" '
                f'stroke="#aaa"/>'
            )
        body.append(_linked(p.box, _line(p.box, x[i], y[i])))
        body.append(_bar(p.box.shares, bars, y[i] - 4, _BARS, 8))
    return bars + _BARS + 10, 20 + _ROW * len(placed), "".join(body)


def _line_text(box: Box) -> str:
    return "  ".join([box.edge, box.title, *box.lines])


def _line(box: Box, x: float, y: float) -> str:
    edge = f'<tspan class="soft" fill="#444">{escape(box.edge)}</tspan>' if box.edge else ""
    weight = 'font-weight="600"'
    arrow = "→ " if box.leaf else ""
    return (
        f'<text x="{x:.1f}" y="{y + 4:.1f}">{edge}<tspan dx="{7 if box.edge else 0}" {weight}>'
        f'{arrow}{escape(box.title)}</tspan><tspan dx="7" class="soft" fill="#666">'
        f"{escape('  '.join(box.lines))}</tspan></text>"
    )


# -- shared --------------------------------------------------------------------------------------------------------


def _bar(shares: Sequence[float], x: float, y: float, width: float, height: float) -> str:
    parts = []
    for c, share in enumerate(shares):
        if share > 0:
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{share * width:.1f}" height="{height}" '
                f'class="c{c % len(PALETTE)}" fill="{PALETTE[c % len(PALETTE)]}"/>'
            )
            x += share * width
    return "".join(parts)


def _legend(classes: Sequence[str], top: float, across: float) -> tuple[str, float]:
    """Return the colours and names of the classes, in as many lines as they need, and the bottom of the last line."""
    parts, x, y = [], 10.0, top
    for c, name in enumerate(classes):
        length = 30 + _CHARACTER * len(name)
        if x > 10 and x + length > across:
            x, y = 10.0, y + 18
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="10" height="10" class="c{c % len(PALETTE)}" '
            f'fill="{PALETTE[c % len(PALETTE)]}"/>'
            f'<text x="{x + 14:.1f}" y="{y + 9:.1f}">{escape(name)}</text>'
        )
        x += length
    return "".join(parts), y + 20
