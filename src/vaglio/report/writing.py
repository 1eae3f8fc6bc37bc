"""Write a study as one HTML file that opens anywhere."""

from __future__ import annotations

import os
from typing import Any

from vaglio.report.limits import MOST_BYTES, Limits
from vaglio.report.rendering import render_html
from vaglio.report.summary import summarize_study
from vaglio.runtime.files import write_whole
from vaglio.study import Study

__all__ = ["report_html", "write_report"]

_MOST_HALVINGS = 6


def write_report(
    study: Study,
    path: str | os.PathLike[str],
    *,
    name: str = "table",
    positive: Any = None,
    command: str = "",
    source: str = "",
) -> None:
    """Write the report of a study.

    The file is whole or not there at all, has everything inside (it loads nothing), and stays below 3 MB whatever the
    table: what does not fit is left out, and said.

    Parameters
    ----------
    study : Study
        It is run if it was not.
    path : path-like
        Of the HTML file.
    name : str
        What the table is called in the report; the name of its file, for lines that can be run again.
    positive : optional
        The class that curves are drawn for first.
    command : str
        The command that made the study, if one did.
    source : str
        A Python expression that makes the table, if its name alone does not tell.

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
    write_whole(path, report_html(study, name=name, positive=positive, command=command, source=source))


def report_html(study: Study, **given: Any) -> str:
    """The page as text; takes what :func:`write_report` takes beside the path.

    Parameters
    ----------
    study : Study
        It is run if it was not.
    **given
        As in :func:`write_report`.
    """
    if not study.done:
        study.run()
    limits = Limits()
    for _ in range(_MOST_HALVINGS):
        page = render_html(summarize_study(study, limits=limits, **given))
        if len(page.encode()) < MOST_BYTES:
            break
        limits = limits.halved()
    return page
