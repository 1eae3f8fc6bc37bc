"""The figures of the gallery: each is drawn, when the site is built, by the command that stands above it."""

from __future__ import annotations

import io
import shlex
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib as mpl
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def drawn(command: str) -> str:
    """Return the SVG that a command ``vaglio plot …`` writes, with names of its parts that no other figure has."""
    from vaglio.cli.main import main

    mpl.use("agg")
    words = shlex.split(command)
    assert words[:2] == ["vaglio", "plot"], command
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure.html"
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            try:
                main([*words[1:], "--out", str(file)])
            except SystemExit as left:
                if left.code:
                    raise ValueError(f"{command}: {said.getvalue()}") from None
        page = file.read_text(encoding="utf-8")
    figure = page[page.index("<svg") : page.rindex("</svg>") + len("</svg>")]
    name = "-".join(word for word in "".join(c if c.isalnum() else " " for c in command).split())
    for attribute in (' id="', 'href="#', "url(#"):
        figure = figure.replace(f"{attribute}figure-", f"{attribute}{name}-")
    return figure


class PlotFigure(SphinxDirective):
    """Shows a command and what it draws."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        command = " ".join(self.content)
        shown = nodes.literal_block(command, command, language="sh")
        return [shown, nodes.raw("", f'<div class="figure">{drawn(command)}</div>', format="html")]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("plot", PlotFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
