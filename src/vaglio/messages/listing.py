"""Rows of plain values as a table of aligned text and as an HTML table; values as plain data for JSON.

Tables and lists are written for a reader: headings and cells that are messages come out in the language of the locale,
other texts are data and stay as they are, and numbers get the marks of the language.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from vaglio.messages.locale import ENGLISH, Locale

__all__ = ["bullet_html", "cell_text", "html_table", "plain_data", "text_table"]

# Styles are written into the elements, because a notebook keeps no style sheet between cells.
_STYLE = (
    "border-collapse:collapse;font-family:system-ui,sans-serif;font-size:13px;"
    "font-variant-numeric:tabular-nums;margin:6px 0"
)


def cell_text(value: object, *, digits: int = 4, locale: Locale = ENGLISH) -> str:
    """Return one value as text: few digits, no quotes, empty for None and NaN.

    >>> cell_text(0.70370370), cell_text(None), cell_text(1234567), cell_text("a")
    ('0.7037', '', '1234567', 'a')
    """
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool):
        return locale.say("yes") if value else locale.say("no")
    if hasattr(value, "dtype") and hasattr(value, "item"):
        return cell_text(value.item(), digits=digits, locale=locale)
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            return "∞" if value > 0 else "−∞"
        if value.is_integer() and abs(value) < 1e9:
            return str(int(value))
        return locale.number(value, f".{digits}g" if abs(value) < 1e-3 or abs(value) >= 1e6 else f".{digits}f")
    return locale.text(value) if isinstance(value, str) else str(value)


def plain_data(value: object) -> Any:
    """Return the data in the types of JSON: no NumPy types, None for a number that is not finite, else text.

    >>> plain_data({"a": (1.5, float("nan")), 2: True})
    {'a': [1.5, None], '2': True}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_data(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_data(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) or (hasattr(value, "dtype") and value.dtype.kind in "iuf")


def _columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return list(names)


def text_table(
    rows: Sequence[Mapping[str, object]],
    *,
    digits: int = 4,
    max_rows: int | None = None,
    locale: Locale = ENGLISH,
) -> str:
    """Return rows as aligned text, numbers to the right.

    >>> print(text_table([{"class": "yes", "n": 9}, {"class": "no", "n": 5}]))
    class  n
    yes    9
    no     5
    """
    if not rows:
        return ""
    shown = rows if max_rows is None else rows[:max_rows]
    names = _columns(shown)
    headings = [locale.text(name) for name in names]
    cells = [[cell_text(row.get(name), digits=digits, locale=locale) for name in names] for row in shown]
    widths = [max(len(name), *(len(line[j]) for line in cells)) for j, name in enumerate(headings)]
    right = [all(_is_number(row[name]) for row in shown if row.get(name) is not None) for name in names]

    def line(values: Sequence[str]) -> str:
        aligned = (v.rjust(w) if r else v.ljust(w) for v, w, r in zip(values, widths, right))
        return "  ".join(aligned).rstrip()

    written = [line(headings), *map(line, cells)]
    if len(shown) < len(rows):
        written.append(locale.say("… and {n:,} more", n=len(rows) - len(shown)))
    return "\n".join(written)


def html_table(
    rows: Sequence[Mapping[str, object]],
    *,
    digits: int = 4,
    caption: str = "",
    max_rows: int | None = None,
    locale: Locale = ENGLISH,
) -> str:
    """Return rows as an HTML table, as :func:`text_table` does; every value is escaped."""
    if not rows:
        return ""
    shown = rows if max_rows is None else rows[:max_rows]
    names = _columns(shown)
    cell = "padding:3px 10px;border-bottom:1px solid #ddd;text-align:"
    right = {name: all(_is_number(row[name]) for row in shown if row.get(name) is not None) for name in names}
    head = "".join(
        f'<th style="{cell}{"right" if right[n] else "left"};font-weight:600">{html.escape(locale.text(n))}</th>'
        for n in names
    )
    body = []
    for row in shown:
        values = (
            f'<td style="{cell}{"right" if right[n] else "left"}">'
            f"{html.escape(cell_text(row.get(n), digits=digits, locale=locale))}</td>"
            for n in names
        )
        body.append(f"<tr>{''.join(values)}</tr>")
    if len(shown) < len(rows):
        more = locale.say("… and {n:,} more", n=len(rows) - len(shown))
        body.append(f'<tr><td colspan="{len(names)}">{more}</td></tr>')
    title = (
        f'<caption style="text-align:left;font-weight:600">{html.escape(locale.text(caption))}</caption>'
        if caption
        else ""
    )
    return f'<table style="{_STYLE}">{title}<thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def bullet_html(lines: Sequence[str], *, locale: Locale = ENGLISH) -> str:
    """Return sentences as an HTML list; every sentence is escaped."""
    if not lines:
        return ""
    items = "".join(f"<li>{html.escape(locale.text(line))}</li>" for line in lines)
    return f'<ul style="font-family:system-ui,sans-serif;font-size:13px;margin:6px 0">{items}</ul>'
