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
from vaglio.messages.message import text

_server_option = partial(typer.Option, rich_help_panel="The server")

TableOrNone = Annotated[
    str | None,
    typer.Argument(metavar="TABLE", help="The table to open, or the name of a bundled one.", show_default=False),
]
ProjectFolder = Annotated[
    Path | None,
    output_option("--project", metavar="DIR", help="The project folder; by default a temporary one."),
]
NoBrowser = Annotated[bool, _server_option("--no-browser", help="Print the address instead of opening a browser.")]
Port = Annotated[int, _server_option(min=0, max=65535, metavar="N", help="The port; 0 for a free one.")]
MaxUpload = Annotated[
    float, _server_option("--max-upload", min=0.001, metavar="MB", help="Maximum size of an uploaded file.")
]


def run(
    table: TableOrNone = None,
    *,
    project: ProjectFolder = None,
    no_browser: NoBrowser = False,
    port: Port = 0,
    max_upload: MaxUpload = 1024.0,
) -> Answer:
    """Open the studio in the browser: from a table to a decision, without code.

    The studio runs on this machine only: no data leave it, and only the browser with the one-time address has access.
    All work is kept in the project folder, and every step can be exported as a Python program or as commands. Press
    Ctrl-C to stop.
    """
    need_web("studio")
    from vaglio.serve.http.server import Address, run_server
    from vaglio.studio.project.folder import Project, project_lock
    from vaglio.studio.service import Studio
    from vaglio.studio.settings import Settings

    address = Address("127.0.0.1", port)
    folder = Path(tempfile.mkdtemp(prefix="vaglio-studio-")) if project is None else project
    token = secrets.token_urlsafe(24)
    with address.open() as opened, project_lock(Project(folder.resolve())):
        origin = address.url(opened.getsockname()[1])
        settings = Settings(folder.resolve(), token, origin, project is None, upload=int(max_upload * (1 << 20)))
        studio = Studio(settings)
        if table is not None:
            _open(studio, table)
        url = f"{origin}/?token={token}"
        if project is None:
            remark(text("vaglio: the project is in the temporary folder {folder}", folder=settings.project))
        else:
            remark(text("vaglio: the project is in {folder}", folder=settings.project))
        remark(text("vaglio: the studio runs on {url} (the address works once; press Ctrl-C to stop)", url=url))
        if not no_browser:
            import webbrowser

            webbrowser.open(url)
        run_server(studio.application, address, opened, 1, settings.bounds.seconds)
    return Answer(
        {"project": str(settings.project)},
        [],
        [text("The studio has stopped. The project is in {folder}.", folder=settings.project)],
    )


def _open(studio: Any, table: str) -> None:
    """Open the table that the command names."""
    from vaglio import datasets
    from vaglio.cli._bundled import is_bundled

    if is_bundled(table):
        step = {"name": table, "bundled": True, "target": datasets.describe(table).target}
    else:
        step = {"name": studio.project.take_in(Path(table))}
    studio.bench.take({"do": "open", **step})
