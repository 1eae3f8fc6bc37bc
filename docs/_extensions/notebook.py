"""The notebooks of the gallery: each is run when the site is built, and its page shows what its cells return."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

from docs.notebook_cells import run_notebook
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Notebook(SphinxDirective):
    """Shows the cells of a notebook beside this page and what they return."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        _, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(path)
        shown = nodes.container()
        for at, cell in enumerate(run_notebook(Path(path))):
            if cell.kind == "markdown":
                self.state.nested_parse(StringList(cell.source.splitlines(), path), 0, shown, match_titles=True)
            else:
                shown += nodes.literal_block(cell.source, cell.source, language="python")
                shown += [
                    nodes.raw("", _own_names(each, f"{Path(path).stem}-{at}"), format="html") for each in cell.shown
                ]
        return shown.children


def _own_names(fragment: str, prefix: str) -> str:
    """Names of the parts of a picture, which no other picture of the page may have."""
    known: dict[str, str] = {}
    numbers = count()
    for name in dict.fromkeys(re.findall(r' id="([^"]+)"', fragment)):
        known[name] = f"{prefix}-{next(numbers)}"
    return re.sub(r'( id="|href="#|url\(#)([^")]+)', lambda found: found[1] + known.get(found[2], found[2]), fragment)


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("notebook", Notebook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
