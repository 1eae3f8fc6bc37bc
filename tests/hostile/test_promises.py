"""Every row of the fault table in SECURITY.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_fault_names_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    assert lines
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for fault, _, shown_by in lines:
        named = re.findall(r"`([^`]+)`", shown_by)
        assert any(name.startswith("tests/") for name in named), fault
        for name in named:
            path, _, function = name.partition("::")
            if name.startswith("make "):
                assert re.search(rf"^{name.removeprefix('make ')}:", targets, re.MULTILINE), name
            else:
                assert f"def test_{function.removeprefix('test_')}" in (ROOT / path).read_text(encoding="utf-8"), name


def test_every_file_of_hostile_tests_is_named() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for path in (ROOT / "tests/hostile").glob("test_*.py"):
        assert path.name == Path(__file__).name or f"tests/hostile/{path.name}" in text, path.name
