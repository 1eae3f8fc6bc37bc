"""From a summary (plain data) to one HTML page that needs no other file."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from vaglio.messages.figures import count, figure, percent
from vaglio.report import panels, pictures

__all__ = ["render_html"]


def render_html(summary: dict[str, Any]) -> str:
    """Render the page.

    Parameters
    ----------
    summary : dict
        From :func:`~vaglio.report.summarize_study`.

    Returns
    -------
    str
        A whole document: it contains its styles, script and pictures, and loads nothing.
    """
    curves = summary["performance"]["curves"]
    drawn = [] if curves["why_none"] else panels.panel_pictures(curves)
    template = _environment().get_template("report.html")
    page: str = template.render(**summary, panel_pictures=drawn, curve_data=_script_data(curves))
    return page


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("vaglio.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # Pictures escape their texts themselves: they are put into the page unchanged.
    for name in pictures.__all__:
        draw = getattr(pictures, name)
        environment.globals[name] = lambda *given, _draw=draw: Markup(_draw(*given))
    environment.filters["svg"] = Markup
    environment.filters["figure"] = figure
    environment.filters["percent"] = percent
    environment.filters["count"] = count
    environment.globals["plain_text"] = lambda name: Markup(_source(name))
    return environment


def _source(name: str) -> str:
    """A stylesheet or script of the page, unchanged."""
    environment = _environment()
    text: str = environment.loader.get_source(environment, name)[0]
    return text


def _script_data(curves: dict[str, Any]) -> Any:
    """Counts and positions for the page's script, escaped for a script element."""
    from markupsafe import Markup

    classes = [] if curves["why_none"] else [panels.class_data(one) for one in curves["classes"]]
    for one in classes:
        for name, panel in one["panels"].items():
            if name not in ("lift", "scores"):  # only these axes differ from class to class
                del panel["axes"]
    text = json.dumps(classes, ensure_ascii=False, separators=(",", ":"))
    # "</script>" or "<!--" in a label would end the element.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
