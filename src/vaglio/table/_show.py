"""A Table on screen: one line per column with its kind, level, role, missing values and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.messages.listing import bullet_html, html_table, text_table
from vaglio.messages.sentences import clip, plural
from vaglio.table._column import Column

if TYPE_CHECKING:
    from vaglio.table._table import Table

_HEAD = ("column", "kind", "level", "values", "role", "missing", "distinct", "example")
# More columns than this do not fit a screen.
_MOST_COLUMNS = 40
# Counting distinct numbers sorts them. In a longer table only the first rows are counted, and a + says so.
_MOST_ROWS = 100_000
# Characters of the example: the schema then fits a terminal of usual width.
_LONGEST = 40


def to_text(table: Table) -> str:
    """Return the schema as plain text."""
    return "\n".join(filter(None, [_title(table), text_table(_schema(table)), *_rest(table)]))


def to_html(table: Table) -> str:
    """Return the schema as an HTML table."""
    grid = html_table(_schema(table), caption=_title(table)) or f"<p>{_title(table)}</p>"
    return f"<div>{grid}{bullet_html(_rest(table))}</div>"


def _title(table: Table) -> str:
    n_rows, n_columns = table.shape
    return f"Table of {plural(n_rows, 'row')} and {plural(n_columns, 'column')}"


def _rest(table: Table) -> list[str]:
    hidden = table.shape[1] - _MOST_COLUMNS
    more = [f"… and {hidden:,} more columns"] if hidden > 0 else []
    return more + [f"note: {remark}" for remark in table.remarks]


def _schema(table: Table) -> list[dict[str, str]]:
    shown = table.columns[:_MOST_COLUMNS]
    return [dict(zip(_HEAD, _describe(table.column(name), len(table)))) for name in shown]


def _describe(column: Column, n_rows: int) -> tuple[str, ...]:
    n_missing = column.n_missing
    share = f"{100 * n_missing / n_rows:.1f}%" if n_missing else "-"
    head = column if n_rows <= _MOST_ROWS else column.take(slice(0, _MOST_ROWS))
    distinct = f"{head.n_distinct:,}" + ("" if n_rows <= _MOST_ROWS else "+")
    kind = "date" if column.is_date else column.kind
    level = f"{column.level}, asymmetric" if column.asymmetric else column.level
    return column.name, kind, level, head.variety, column.role, share, distinct, _example(head)


def _example(column: Column) -> str:
    if column.kind == "nominal":
        shown = ", ".join(map(str, column.categories[:4]))
        return clip(shown + (", …" if len(column.categories) > 4 else ""), _LONGEST)
    present = np.flatnonzero(~column.missing)
    if not len(present):
        return ""
    first = column.values[present[0]]
    if column.is_date:
        # The time of day only if there is one.
        return str(first).removesuffix("T00:00:00.000000")
    if column.kind == "text":
        return clip(first, _LONGEST)
    return f"{first:g} {column.unit}".strip()
