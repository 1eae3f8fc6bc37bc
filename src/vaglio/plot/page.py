"""Figures and HTML for files: a figure as bytes or as an SVG element, a fragment of HTML as a whole page."""

from __future__ import annotations

import html
import io
import re
from typing import Any

__all__ = ["figure_bytes", "figure_svg", "html_page"]

# The page loads nothing from elsewhere, so its style is written into it.
_STYLE = (
    "body{font-family:system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}"
    "table{display:block;overflow-x:auto}svg{max-width:100%;height:auto}pre{overflow-x:auto}"
    "@media print{body{margin:0;max-width:none}}"
)


def html_page(title: str, body: str) -> str:
    """Return a whole page around a fragment: readable offline, on a phone and on paper.

    >>> html_page("a & b", "<p>x</p>").startswith("<!doctype html>")
    True
    """
    name = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{_STYLE}</style></head>\n<body><h1>{name}</h1>\n{body}\n</body></html>\n"
    )


def figure_bytes(figure: Any, format: str) -> bytes:
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


def figure_svg(figure: Any, title: str) -> str:
    """Return a figure as an SVG element to put into a page, with a title for screen readers."""
    text = figure_bytes(figure, "svg").decode()
    drawing = text[text.index("<svg") :]
    label = f'<svg role="img" aria-label="{html.escape(title, quote=True)}"'
    # Parts of two drawings in one page must not have the same name.
    prefix = re.sub(r"\W+", "-", title)
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    return drawing.replace("<svg", label, 1)
