"""The page about traces shows what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.conftest import run_here

from vaglio import datasets

PAGE = Path(__file__).parents[2] / "docs" / "trace.md"


def test_every_output_on_the_page_is_real(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    datasets.load("play").to_frame().to_csv("play.csv", index=False)
    blocks = re.findall(r"```\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        command = next(line for line in block.splitlines() if line.startswith("$ vaglio trace"))
        shown = [line for line in block.splitlines() if line != "…" and not line.startswith("$")]
        outcome = run_here(*shlex.split(command.removeprefix("$ vaglio ")))
        assert outcome.code == 0, outcome.err
        assert "\n".join(shown).strip() in outcome.out
