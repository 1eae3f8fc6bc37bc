"""From a summary (plain data) to one HTML page that needs no other file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from vaglio.messages.figures import count, figure, percent
from vaglio.messages.locale import ENGLISH, Locale, locale_of
from vaglio.messages.message import Listing, Message, Number, Option
from vaglio.quality.exploration import Exploration
from vaglio.report.exploration import exploration_summary
from vaglio.report.pictures import (
    class_data,
    column_histogram,
    distance_map,
    dots_picture,
    headline_scale,
    interval_line,
    network_picture,
    panel_pictures,
    rounds_picture,
    term_picture,
    tree_picture,
)
from vaglio.report.summary import summarize_study
from vaglio.runtime.arguments import checked
from vaglio.runtime.files import write_whole
from vaglio.study import Study

__all__ = ["exploration_html", "page_environment", "render_html", "report_html", "template_environment", "write_report"]

# What templates may draw.
_PICTURES = (
    column_histogram,
    distance_map,
    dots_picture,
    headline_scale,
    interval_line,
    network_picture,
    rounds_picture,
    term_picture,
    tree_picture,
)


def render_html(summary: dict[str, Any], lang: str | Locale = "en") -> str:
    """Render the page.

    Parameters
    ----------
    summary : dict
        From :func:`~vaglio.report.summarize_study`.
    lang : str or Locale, default="en"
        The language of the page.

    Returns
    -------
    str
        A whole document: it contains its styles, script and pictures, and loads nothing.
    """
    locale = locale_of(lang)
    curves = summary["performance"]["curves"]
    drawn = [] if curves["why_none"] else panel_pictures(curves, locale)
    template = page_environment(locale).get_template("report.html")
    page: str = template.render(**summary, panel_pictures=drawn, curve_data=_script_data(curves, locale))
    return page


def template_environment(package: str, locale: Locale = ENGLISH) -> Any:
    """Return the templates of a package: every text of a table is escaped, and pictures of a summary can be drawn.

    Messages come out in the language of the locale. The templates say their own words by ``say``, whose values may be
    HTML.

    Parameters
    ----------
    package : str
    locale : Locale
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
    from markupsafe import Markup, escape

    def written(value: Any) -> Any:
        return locale.text(value) if isinstance(value, (Message, Listing, Number, Option)) else value

    def say(template: str, /, **values: Any) -> Any:
        # Elements stand aside as private characters while the words around them are escaped.
        elements = {name: value for name, value in values.items() if isinstance(value, Markup)}
        aside = {name: f"\ue000{name}\ue001" for name in elements}
        said = escape(locale.say(template, **{**values, **aside}))
        for name, element in elements.items():
            said = said.replace(aside[name], element)
        return said

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=written,
    )

    def pictured(draw: Callable[..., str], context: Any, *given: Any) -> Markup:
        # A page of the studio is written in the language of its reader, not in that of the environment.
        return Markup(draw(*given, locale=context["locale"]))

    # Pictures escape their texts themselves: they are put into the page unchanged.
    draw: Callable[..., str]
    for draw in _PICTURES:
        environment.globals[draw.__name__] = pass_context(partial(pictured, draw))
    environment.globals |= {"say": say, "locale": locale}
    environment.filters |= {"svg": Markup, "figure": figure, "percent": percent, "count": count}
    environment.filters["number"] = locale.number
    return environment


@cache
def page_environment(locale: Locale) -> Any:
    """Return the templates of the pages of this package."""
    from markupsafe import Markup

    environment = template_environment("vaglio.report", locale)

    def source(name: str) -> Any:
        """Return a stylesheet or script of the page, unchanged."""
        return Markup(environment.loader.get_source(environment, name)[0])

    environment.globals["plain_text"] = source
    return environment


def _script_data(curves: dict[str, Any], locale: Locale) -> Any:
    """Counts and positions for the page's script, escaped for a script element."""
    from markupsafe import Markup

    classes = [] if curves["why_none"] else [class_data(one, locale) for one in curves["classes"]]
    for one in classes:
        for name, panel in one["panels"].items():
            if name not in ("lift", "scores"):  # only these axes differ from class to class
                del panel["axes"]
    text = json.dumps(classes, ensure_ascii=False, separators=(",", ":"))
    # "</script>" or "<!--" in a label would end the element.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


@checked
def exploration_html(seen: Exploration, *, name: str = "table", lang: str | Locale = "en") -> str:
    """Return an exploration as a page: a whole document, which loads nothing.

    Parameters
    ----------
    seen : Exploration
    name : str, default="table"
        The name of the table.
    lang : str or Locale, default="en"
        The language of the page.

    Examples
    --------
    >>> import vaglio
    >>> page = exploration_html(vaglio.explore(vaglio.datasets.load("play"), "play"), name="play.csv")
    >>> page.lstrip()[:15]
    '<!doctype html>'
    """
    template = page_environment(locale_of(lang)).get_template("explore.html")
    page: str = template.render(**exploration_summary(seen, name))
    return page


@checked
def write_report(
    study: Study,
    path: str | os.PathLike[str],
    *,
    name: str = "table",
    positive: Any = None,
    command: str = "",
    source: str = "",
    lang: str | Locale = "en",
) -> None:
    """Write the report of a study.

    The file is written completely or not at all. It contains everything it needs and loads nothing. It stays below 3 MB
    whatever the table is: what does not fit is left out, and the page says so.

    Parameters
    ----------
    study : Study
        It is run if it has not been run.
    path : path-like
        Where the HTML file is written.
    name : str
        Name of the table in the report; best the name of its file, so that the printed program can be run.
    positive : optional
        The class that curves are drawn for first.
    command : str
        The command that made the study, if one did.
    source : str
        A Python expression that makes the table, if its name alone does not tell.
    lang : str or Locale, default="en"
        The language of the page.

    Examples
    --------
    >>> import tempfile, vaglio
    >>> from pathlib import Path
    >>> from vaglio.report import write_report
    >>> study = vaglio.Study(vaglio.datasets.load("play"), "play", learners=["c45"], strategy="quick")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(study, f"{folder}/play.html", name="play")
    ...     Path(f"{folder}/play.html").read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    write_whole(path, report_html(study, name=name, positive=positive, command=command, source=source, lang=lang))


def report_html(study: Study, *, lang: str | Locale = "en", **given: Any) -> str:
    """Return the page as text; takes the arguments of :func:`write_report` except the path.

    Parameters
    ----------
    study : Study
        It is run if it has not been run.
    lang : str or Locale, default="en"
        The language of the page.
    **given
        As in :func:`write_report`.
    """
    if not study.done:
        study.run()
    return render_html(summarize_study(study, **given), lang)
