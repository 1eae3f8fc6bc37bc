"""The gallery of the documentation shows every figure, by commands that draw."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from vaglio.figures import FIGURES

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = re.findall(
    r"^```\{plot\}\n(.*?)\n```$", (DOCS / "gallery.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
)


def test_every_figure_is_in_the_gallery() -> None:
    shown = [re.search(r"--figure (\S+)", command) for command in COMMANDS]
    assert {"regions" if found is None else found[1] for found in shown} == set(FIGURES)


@pytest.mark.slow
def test_commands_of_the_gallery_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS / "_extensions"), str(DOCS), *sys.path])
    from gallery import drawn

    for name in ("threshold", "neuron"):
        command = next(each for each in COMMANDS if f"--figure {name}" in each)
        figure = drawn(command)
        assert figure.startswith("<svg")
        assert 'id="figure-' not in figure
    import contact_sheet

    monkeypatch.setattr(contact_sheet, "commands", lambda: ["vaglio plot --figure impurity"])
    page = contact_sheet.contact_sheet()
    assert page.count("<svg") == 2
    assert "entropy" in page
    assert "entropia" in page
