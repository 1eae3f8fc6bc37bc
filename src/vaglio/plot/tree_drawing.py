"""A tree as a picture: clean SVG, or text with box characters. The tree comes as plain boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

# Okabe and Ito's colours, told apart by colour-blind people; more classes reuse them.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")

_CHARACTER, _LINE, _PAD, _BAR = 6.4, 14, 8, 5


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
        What leads here from the parent.
    leaf : bool
    children : list of Box
    """

    title: str
    lines: Sequence[str] = ()
    shares: Sequence[float] = ()
    edge: str = ""
    leaf: bool = False
    children: list[Box] = field(default_factory=list)


@dataclass
class _Placed:
    box: Box
    depth: int
    parent: int
    slot: float = 0.0


def draw_tree_text(root: Box) -> str:
    """Draw with box characters, one line a node."""
    lines = []
    stack: list[tuple[Box, str, str]] = [(root, "", "")]
    while stack:
        box, lead, below = stack.pop()
        edge = f"{box.edge}: " if box.edge else ""
        detail = f"  ({', '.join(box.lines)})" if box.lines else ""
        arrow = "→ " if box.leaf else ""
        lines.append(f"{lead}{edge}{arrow}{box.title}{detail}")
        last = len(box.children) - 1
        for i in range(last, -1, -1):
            corner, stem = ("└─ ", "   ") if i == last else ("├─ ", "│  ")
            stack.append((box.children[i], below + corner, below + stem))
    return "\n".join(lines)


def draw_tree_svg(root: Box, classes: Sequence[str] = (), title: str = "Decision tree") -> str:
    """Draw as SVG: from the top down when it fits a page, from left to right when there are many leaves."""
    placed = _place(root)
    leaves = sum(not p.box.children for p in placed)
    sideways = leaves > 10
    widths = [_width(p.box) for p in placed]
    heights = [_height(p.box, sideways) for p in placed]
    x, y, width, height = _coordinates(placed, widths, heights, sideways)
    legend = _legend(classes, height + 6)
    if legend:
        height += 26
        width = max(width, 16 + sum(30 + _CHARACTER * len(name) for name in classes))
    body = [_edge(p, i, x, y, widths, heights, sideways, placed) for i, p in enumerate(placed) if p.parent >= 0]
    body += [_node(p.box, x[i], y[i], widths[i], heights[i], sideways) for i, p in enumerate(placed)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}" '
        f'font-family="system-ui, sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(body)}{legend}</svg>'
    )


def _place(root: Box) -> list[_Placed]:
    """Number the boxes depth first and give each a slot across the drawing: leaves in turn, parents in the middle."""
    placed: list[_Placed] = []
    stack = [(root, 0, -1)]
    slot = 0.0
    while stack:
        box, depth, parent = stack.pop()
        placed.append(_Placed(box, depth, parent))
        me = len(placed) - 1
        if not box.children:
            placed[me].slot = slot
            slot += 1
        stack.extend((child, depth + 1, me) for child in reversed(box.children))
    spans: dict[int, list[float]] = {}
    for i in range(len(placed) - 1, -1, -1):
        if i in spans:
            placed[i].slot = (min(spans[i]) + max(spans[i])) / 2
        if placed[i].parent >= 0:
            spans.setdefault(placed[i].parent, []).append(placed[i].slot)
    return placed


def _width(box: Box) -> float:
    longest = max([len(box.title) * 1.08, *(len(line) for line in box.lines)])
    return max(46.0, longest * _CHARACTER + 2 * _PAD)


def _height(box: Box, sideways: bool) -> float:
    if sideways:
        return _LINE + 8 + (_BAR if len(box.shares) else 0)
    return (1 + len(box.lines)) * _LINE + _PAD + (_BAR + 4 if len(box.shares) else 0)


def _coordinates(
    placed: list[_Placed], widths: list[float], heights: list[float], sideways: bool
) -> tuple[list[float], list[float], float, float]:
    """Return the upper left corner of every box, and the size of the drawing."""
    depth = max(p.depth for p in placed) + 1
    along = [0.0] * depth
    for p, w, h in zip(placed, widths, heights):
        along[p.depth] = max(along[p.depth], _sideways_width(p.box, w) if sideways else h)
    edge = [0.0] * depth
    for p in placed:
        edge[p.depth] = max(edge[p.depth], (24 + len(p.box.edge) * _CHARACTER) if sideways else 44.0)
    starts = [10.0]
    for level in range(1, depth):
        starts.append(starts[-1] + along[level - 1] + edge[level])
    pitch = (
        max(heights) + 6 if sideways else max(max(w, len(p.box.edge) * _CHARACTER) for p, w in zip(placed, widths)) + 14
    )
    across = [10 + (p.slot + 0.5) * pitch for p in placed]
    end = starts[-1] + along[-1] + 10
    extent = 20 + (max(p.slot for p in placed) + 1) * pitch
    if sideways:
        x = [starts[p.depth] for p in placed]
        y = [c - h / 2 for c, h in zip(across, heights)]
        return x, y, end, extent
    x = [c - w / 2 for c, w in zip(across, widths)]
    y = [starts[p.depth] for p in placed]
    return x, y, extent, end


def _sideways_width(box: Box, width: float) -> float:
    detail = "  ".join(box.lines)
    return max(width, (len(box.title) * 1.08 + len(detail) + 2) * _CHARACTER + 2 * _PAD)


def _edge(
    p: _Placed,
    i: int,
    x: list[float],
    y: list[float],
    widths: list[float],
    heights: list[float],
    sideways: bool,
    placed: list[_Placed],
) -> str:
    q = p.parent
    if sideways:
        x1, y1 = x[q] + _sideways_width(placed[q].box, widths[q]), y[q] + heights[q] / 2
        x2, y2 = x[i], y[i] + heights[i] / 2
        bend = x1 + 10
        path = f"M{x1:.1f} {y1:.1f}H{bend:.1f}V{y2:.1f}H{x2:.1f}"
        label = f'<text x="{bend + 5:.1f}" y="{y2 - 3:.1f}" fill="#444">{escape(p.box.edge)}</text>'
    else:
        x1, y1 = x[q] + widths[q] / 2, y[q] + heights[q]
        x2, y2 = x[i] + widths[i] / 2, y[i]
        middle = y1 + 12
        path = f"M{x1:.1f} {y1:.1f}V{middle:.1f}H{x2:.1f}V{y2:.1f}"
        label = (
            f'<text x="{x2:.1f}" y="{y2 - 8:.1f}" text-anchor="middle" fill="#444" stroke="#fff" '
            f'stroke-width="3" paint-order="stroke">{escape(p.box.edge)}</text>'
        )
    return f'<path d="{path}" fill="none" stroke="#999"/>{label}'


def _node(box: Box, x: float, y: float, width: float, height: float, sideways: bool) -> str:
    if sideways:
        width = _sideways_width(box, width)
    strongest = max(range(len(box.shares)), key=lambda c: box.shares[c]) if len(box.shares) else 0
    border = PALETTE[strongest % len(PALETTE)] if box.leaf and len(box.shares) else "#777"
    fill = "#fbfbfb" if box.leaf else "#f1f4f8"
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
        f'fill="{fill}" stroke="{border}"/>'
    ]
    weight = "600" if box.leaf else "500"
    if sideways:
        detail = "  ".join(box.lines)
        parts.append(
            f'<text x="{x + _PAD:.1f}" y="{y + _LINE:.1f}"><tspan font-weight="{weight}">{escape(box.title)}</tspan>'
            f'<tspan fill="#555" dx="8">{escape(detail)}</tspan></text>'
        )
    else:
        centre = x + width / 2
        for i, line in enumerate([box.title, *box.lines]):
            style = f'font-weight="{weight}"' if i == 0 else 'fill="#555"'
            parts.append(
                f'<text x="{centre:.1f}" y="{y + (i + 1) * _LINE:.1f}" text-anchor="middle" {style}>'
                f"{escape(line)}</text>"
            )
    parts.append(_bar(box.shares, x + 4, y + height - _BAR - 3, width - 8))
    return "".join(parts)


def _bar(shares: Sequence[float], x: float, y: float, width: float) -> str:
    parts = []
    for c, share in enumerate(shares):
        if share > 0:
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{share * width:.1f}" height="{_BAR}" '
                f'fill="{PALETTE[c % len(PALETTE)]}"/>'
            )
            x += share * width
    return "".join(parts)


def _legend(classes: Sequence[str], y: float) -> str:
    parts, x = [], 10.0
    for c, name in enumerate(classes):
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="10" height="10" fill="{PALETTE[c % len(PALETTE)]}"/>'
            f'<text x="{x + 14:.1f}" y="{y + 9:.1f}">{escape(name)}</text>'
        )
        x += 30 + _CHARACTER * len(name)
    return "".join(parts)
