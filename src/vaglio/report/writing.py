"""Write a study as one HTML file that every browser opens."""

from __future__ import annotations

import os
from typing import Any

from vaglio.report.rendering import render_html
from vaglio.report.summary import summarize_study
from vaglio.runtime.files import write_whole
from vaglio.study import Study

__all__ = ["report_html", "write_report"]


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
    """Return the page as text; takes the arguments of :func:`write_report` except the path.

    Parameters
    ----------
    study : Study
        It is run if it has not been run.
    **given
        As in :func:`write_report`.
    """
    if not study.done:
        study.run()
    return render_html(summarize_study(study, **given))
