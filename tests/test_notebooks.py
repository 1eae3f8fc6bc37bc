"""The notebooks of the documentation run to their end, and are notebooks that every program opens."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
USERS = {"analyst", "data-scientist", "engineer", "lecturer"}


def test_there_is_one_for_each_kind_of_reader_with_its_page():
    assert {path.stem for path in NOTEBOOKS} == USERS
    index = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert f"{{notebook}} {path.name}" in path.with_suffix(".md").read_text(encoding="utf-8")
        assert f"<{path.stem}>" in index


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_form_of_notebooks_and_keeps_no_output(path: Path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in data["cells"]}) == len(data["cells"])
    for cell in data["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        assert cell.get("outputs", []) == []
        assert max(map(len, cell["source"])) <= 130


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_says(path: Path):
    spec = importlib.util.spec_from_file_location("notebook_cells", DOCS / "notebook_cells.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for the module that they are made in.
    import sys

    sys.modules["notebook_cells"] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    cells = module.run_notebook(path)
    shown = [fragment for cell in cells for fragment in cell.shown]
    assert len(shown) >= 3
    assert not any(re.search(r"<pre[^>]*>&lt;.* object at 0x", fragment) for fragment in shown)
