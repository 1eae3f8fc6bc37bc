"""Templates, and what they are given beside the data of a room: words, numbers, pictures that need no style."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vaglio.messages.figures import count, figure
from vaglio.report import pictures

__all__ = ["HEADERS", "environment", "static_files"]

# Scripts and styles come from this server alone; nothing of a table is ever run.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@cache
def environment() -> Environment:
    """Return the templates; every text of a table is escaped."""
    found = Environment(
        loader=PackageLoader("vaglio.studio"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # Pictures escape their texts themselves.
    for name in pictures.__all__:
        draw = getattr(pictures, name)
        found.globals[name] = lambda *given, _draw=draw: Markup(_draw(*given))
    found.globals["bar"] = bar
    found.globals["stack"] = stack
    found.filters["svg"] = Markup
    found.filters["figure"] = figure
    found.filters["count"] = count
    return found


def bar(share: float, css: str = "plain") -> Markup:
    """Return a bar for a share between 0 and 1; a style attribute would be refused by the policy of the page."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Markup(
        f'<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="{escape(css)}" width="{width:.1f}" height="8"/></svg>'
    )


def stack(counts: Any, most: float, coloured: bool = True) -> Markup:
    """Return a bar of several counts side by side, one colour each."""
    parts, at = [], 0.0
    for k, n in enumerate(counts):
        width = 100 * n / (most or 1)
        if n:
            css = f"c{k}" if coloured else "plain"
            parts.append(f'<rect class="{css}" x="{at:.1f}" width="{width:.1f}" height="8"/>')
        at += width
    body = "".join(parts)
    return Markup(f'<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{body}</svg>')


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """Return address -> content and type; the styles of the report come first: its pictures look here as there."""
    report = files("vaglio.report") / "templates"
    dark = (report / "dark.css").read_text(encoding="utf-8")
    own = files("vaglio.studio") / "static"
    style = "\n".join(
        [
            (report / "style.css").read_text(encoding="utf-8"),
            f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}",
            f":root[data-theme=dark] {{ {dark} }}",
            *(each.read_text(encoding="utf-8") for each in sorted(own.iterdir(), key=str) if each.name.endswith("css")),
        ]
    )
    found = {"/static/studio.css": (style.encode(), "text/css")}
    for each in own.iterdir():
        if each.name.endswith(".js"):
            found[f"/static/{each.name}"] = (each.read_bytes(), "text/javascript")
    return found
