"""A trace for the terminal: headings underlined, tables aligned."""

from __future__ import annotations

import re
import textwrap

from vaglio.document.document import Block, Formula, Grid, Paragraph, Trace

# Sentences are wrapped at this width, which most terminals have.
WIDTH = 100
_NUMBER = re.compile(r"^(?:[−+-]?[\d.,/:∞]+(?:e[−+-]?\d+)?(?:\u00a0?%)?|–|)$")


def to_text(trace: Trace) -> str:
    """Return a trace as text."""
    parts = [f"{trace.title}\n{'=' * len(trace.title)}"]
    for section in trace.sections:
        mark = "-" if section.level == 1 else "·"
        parts.append(f"{section.title}\n{mark * len(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return textwrap.fill(block.text, WIDTH)
    if isinstance(block, Formula):
        return f"    {block.text}"
    return grid_text(block)


def is_number(column: list[str]) -> bool:
    """Whether a column holds numbers, and so is aligned to the right."""
    return any(column) and all(_NUMBER.match(cell) for cell in column)


def grid_text(grid: Grid) -> str:
    """Return a table as aligned text; an arrow marks the chosen rows."""
    columns = [[row[j] for row in grid.rows] for j in range(len(grid.columns))]
    widths = [max(len(name), *(len(cell) for cell in column), 0) for name, column in zip(grid.columns, columns)]
    right = [is_number(column) for column in columns]

    def line(cells: tuple[str, ...], mark: str) -> str:
        aligned = (cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(cells, widths, right))
        return (mark + "  ".join(aligned)).rstrip()

    lines = [grid.caption] if grid.caption else []
    lines.append(line(grid.columns, "  "))
    lines.append("  " + "  ".join("─" * width for width in widths))
    lines += [line(row, "→ " if i in grid.chosen else "  ") for i, row in enumerate(grid.rows)]
    return "\n".join(lines)
