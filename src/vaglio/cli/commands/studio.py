"""``vaglio studio [TABLE] [--project DIR]``"""

from __future__ import annotations

import secrets
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli._options import output_option
from vaglio.cli._output import Answer, remark
from vaglio.cli.commands.serve import need_web

_server_option = partial(typer.Option, rich_help_panel="The server")

TableOrNone = Annotated[
    str | None, typer.Argument(metavar="TABLE", help="A table to open, or a bundled one by name.", show_default=False)
]
ProjectFolder = Annotated[
    Path | None,
    output_option("--project", metavar="DIR", help="Where the work is kept; by default a temporary folder."),
]
NoBrowser = Annotated[bool, _server_option("--no-browser", help="Print the address instead of opening a browser.")]
Port = Annotated[int, _server_option(min=0, max=65535, metavar="N", help="0 takes a free one.")]
MaxUpload = Annotated[float, _server_option("--max-upload", min=0.001, metavar="MB", help="Size of a file at most.")]


def run(
    table: TableOrNone = None,
    *,
    project: ProjectFolder = None,
    no_browser: NoBrowser = False,
    port: Port = 0,
    max_upload: MaxUpload = 1024.0,
) -> Answer:
    """Open a page in the browser that leads from a table to a decision, without a line of code.

    The page is for this machine alone: nothing leaves it, and only the browser with the one-time address gets in. All
    work is kept in the project folder; every click can be had as a Python program and as commands. Ctrl-C ends it.
    """
    need_web("studio")
    from vaglio.serve.http.running import Address, run_server
    from vaglio.studio.project.claiming import claimed
    from vaglio.studio.project.folder import Project
    from vaglio.studio.service import Studio
    from vaglio.studio.settings import Settings

    address = Address("127.0.0.1", port)
    folder = Path(tempfile.mkdtemp(prefix="vaglio-studio-")) if project is None else project
    token = secrets.token_urlsafe(24)
    with address.open() as opened, claimed(Project(folder.resolve())):
        origin = address.url(opened.getsockname()[1])
        settings = Settings(folder.resolve(), token, origin, project is None, upload=int(max_upload * (1 << 20)))
        studio = Studio(settings)
        if table is not None:
            _open(studio, table)
        url = f"{origin}/?token={token}"
        remark(f"vaglio: the work is kept in {settings.project}" + (" (temporary)" if project is None else ""))
        remark(f"vaglio: the studio is on {url} (Ctrl-C ends it; the address works once)")
        if not no_browser:
            import webbrowser

            webbrowser.open(url)
        run_server(studio.application, address, opened, 1, settings.bounds.seconds)
    return Answer({"project": str(settings.project)}, [], [f"The studio has ended; the work is in {settings.project}."])


def _open(studio: Any, table: str) -> None:
    """Open the table that the command names."""
    from vaglio import datasets
    from vaglio.cli._bundled import is_bundled

    if is_bundled(table):
        step = {"name": table, "bundled": True, "target": datasets.describe(table).target}
    else:
        step = {"name": studio.project.take_in(Path(table))}
    studio.bench.take({"do": "open", **step})
