"""Runs the notebooks of the gallery without a notebook server, and shows what their cells return.

A code cell runs as Python runs a module. The value of its last expression is shown as HTML if it has such a form, else
as text; open matplotlib figures are shown as SVG. All cells of a notebook share their names and one empty folder.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import os
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Cell:
    """A cell, and after it has run what it shows, as fragments of HTML."""

    kind: str
    source: str
    shown: list[str] = field(default_factory=list)


def read_notebook(path: Path) -> list[Cell]:
    """Return the cells of a notebook file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["nbformat"] == 4, path
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in data["cells"]]


def run_notebook(path: Path) -> list[Cell]:
    """Run the cells one after the other; the first error ends it."""
    import matplotlib as mpl

    mpl.use("agg")
    cells = read_notebook(path)
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, _inside(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in cells:
            if cell.kind == "code":
                cell.shown = list(_run(cell.source, names))
    return cells


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _run(source: str, names: dict[str, Any]) -> Iterator[str]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if said.getvalue():
        yield _as_text(said.getvalue())
    drawn = list(_figures())
    yield from drawn
    if value is not None and not drawn:
        yield value._repr_html_() if hasattr(value, "_repr_html_") else _as_text(repr(value))


def _as_text(said: str) -> str:
    return f'<pre style="white-space:pre-wrap">{html.escape(said)}</pre>'


def _figures() -> Iterator[str]:
    from matplotlib import pyplot as plt

    for number in plt.get_fignums():
        picture = io.StringIO()
        plt.figure(number).savefig(picture, format="svg", bbox_inches="tight", metadata={"Date": None})
        text = picture.getvalue()
        yield f'<div class="figure">{text[text.index("<svg") :]}</div>'
    plt.close("all")
