"""A Table on screen: its schema, compactly."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from vaglio.table._column import Column
from vaglio.text.sentences import clip

if TYPE_CHECKING:
    from vaglio.table._table import Table

_HEAD = ("column", "kind", "level", "role", "missing", "distinct", "example")
_MOST_COLUMNS = 40
# Styles are written into the elements: a notebook keeps no style sheet between cells.
_FONT = "font-family:system-ui,sans-serif;font-size:13px"
_CELL = "padding:3px 10px;border-bottom:1px solid #ddd;text-align:left"
# Counting distinct numbers sorts them: past this many rows a repr would be slow, so the head is counted.
_MOST_ROWS = 100_000
# Characters of the example: the schema then fits a terminal of usual width.
_LONGEST = 40


def to_text(table: Table) -> str:
    """Give the schema as plain text."""
    rows = [_HEAD, *_schema(table)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([_title(table), *lines, *_rest(table)])


def to_html(table: Table) -> str:
    """Give the schema as an HTML table."""
    head = "".join(f'<th style="{_CELL};font-weight:600">{cell}</th>' for cell in _HEAD)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{html.escape(cell)}</td>' for cell in row) + "</tr>"
        for row in _schema(table)
    )
    notes = "".join(f'<p style="margin:4px 0">{html.escape(line)}</p>' for line in _rest(table))
    caption = f'<caption style="text-align:left;font-weight:600">{html.escape(_title(table))}</caption>'
    grid = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div style="{_FONT}"><table style="border-collapse:collapse">{grid}</table>{notes}</div>'


def _title(table: Table) -> str:
    n_rows, n_columns = table.shape
    rows, columns = "row" if n_rows == 1 else "rows", "column" if n_columns == 1 else "columns"
    return f"Table of {n_rows:,} {rows} and {n_columns:,} {columns}"


def _rest(table: Table) -> list[str]:
    hidden = table.shape[1] - _MOST_COLUMNS
    more = [f"… and {hidden:,} more columns"] if hidden > 0 else []
    return more + [f"note: {remark}" for remark in table.remarks]


def _schema(table: Table) -> list[tuple[str, ...]]:
    return [_describe(table.column(name), len(table)) for name in table.columns[:_MOST_COLUMNS]]


def _describe(column: Column, n_rows: int) -> tuple[str, ...]:
    n_missing = column.n_missing
    share = f"{100 * n_missing / n_rows:.1f}%" if n_missing else "-"
    head = column if n_rows <= _MOST_ROWS else column.take(slice(0, _MOST_ROWS))
    distinct = f"{head.n_distinct:,}" + ("" if n_rows <= _MOST_ROWS else "+")
    kind = "date" if column.is_date else column.kind
    level = f"{column.level}, asymmetric" if column.asymmetric else column.level
    return column.name, kind, level, column.role, share, distinct, _example(head)


def _example(column: Column) -> str:
    if column.kind == "nominal":
        shown = ", ".join(map(str, column.categories[:4]))
        return clip(shown + (", …" if len(column.categories) > 4 else ""), _LONGEST)
    present = np.flatnonzero(~column.missing)
    if not len(present):
        return ""
    first = column.values[present[0]]
    return f"{first:g}" if column.kind == "numeric" and not column.is_date else clip(first, _LONGEST)
