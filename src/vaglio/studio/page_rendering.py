"""Templates with their filters, and the files that pages load."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from vaglio.messages.figures import figure
from vaglio.messages.message import Message, Number, text
from vaglio.report.rendering import template_environment
from vaglio.serve.http.languages import SAY_SCRIPT, text_environment

__all__ = ["HEADERS", "duration", "environment", "plain", "static_files"]

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
def environment() -> Any:
    """Return the templates: data is escaped, and messages are written in the language of the page."""
    found = text_environment(template_environment("vaglio.studio"))
    found.globals |= {"bar": bar, "stack": stack}
    found.filters |= {
        "decimal": decimal,
        "duration": duration,
        "figure": lambda value, digits=4: Number(figure(value, digits)),
        "number": Number,
        "plain": plain,
        "percentage": percentage,
    }
    return found


def decimal(value: float, digits: int = 0) -> Number:
    """Return a number with so many decimals."""
    return Number(f"{value:,.{digits}f}".replace("-", "−"))


def percentage(share: float | None, digits: int = 1) -> Number:
    """Return a share as a percentage; a dash for none."""
    return Number("–" if share is None or share != share else f"{share:.{digits}%}")


def plain(words: str) -> str:
    """Return the text of a docstring without its marks of code.

    >>> plain('Use ``None``.')
    'Use None.'
    """
    return words.replace("``", "")


def duration(seconds: float | None) -> Message:
    """Return a time in the unit that people would use.

    >>> duration(0.2), duration(20), duration(2000), duration(20_000)
    ('less than a second', '20 s', '33 min', '5.6 h')
    """
    if seconds is None or seconds != seconds:
        return text("–")
    if seconds < 1:
        return text("less than a second")
    if seconds < 90:
        return text("{n:.0f} s", n=seconds)
    return text("{n:.0f} min", n=seconds / 60) if seconds < 5400 else text("{n:.1f} h", n=seconds / 3600)


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
    found = {"/static/studio.css": (style.encode(), "text/css"), "/static/say.js": (SAY_SCRIPT, "text/javascript")}
    for each in own.iterdir():
        if each.name.endswith(".js"):
            found[f"/static/{each.name}"] = (each.read_bytes(), "text/javascript")
    return found
