"""The check that a change of the package comes with a note, in repositories made for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tools import changes

IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q", "-b", "main")
    _commit(tmp_path, "Begin", {"src/vaglio/a.py": "1", "tests/test_a.py": "1", "changes/README.md": "1"})
    _git(tmp_path, "branch", "base")
    return tmp_path


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=root, check=True, capture_output=True)


def _commit(root: Path, message: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _git(root, "add", "--all")
    _git(root, "commit", "-q", "-m", message)


@pytest.mark.slow
def test_a_change_of_the_package_needs_a_note(repository: Path):
    for message, files, missing in [
        ("Test more", {"tests/test_a.py": "2"}, False),
        ("Change", {"src/vaglio/a.py": "2"}, True),
        ("Change", {"cpp/tree/a.cpp": "2", "changes/README.md": "2"}, True),
        ("Change", {"src/vaglio/a.py": "2", "changes/a.md": "Added\nIt."}, False),
        ("Release", {"src/vaglio/a.py": "2", "CHANGELOG.md": "2"}, False),
        ("Move\n\nNo note: the same models and texts", {"src/vaglio/a.py": "2"}, False),
        ("Move\n\nNo note:", {"src/vaglio/a.py": "2"}, True),
    ]:
        _git(repository, "checkout", "-q", "-B", "proposal", "base")
        _commit(repository, message, files)
        assert changes.is_missing("base", repository) is missing, (message, files)
    # What the other side has changed meanwhile is not this proposal's.
    _git(repository, "checkout", "-q", "-B", "proposal", "base")
    _commit(repository, "Test more", {"tests/test_a.py": "2"})
    _git(repository, "checkout", "-q", "main")
    _commit(repository, "Change", {"src/vaglio/a.py": "2"})
    _git(repository, "checkout", "-q", "proposal")
    assert not changes.is_missing("main", repository)


def test_the_form_of_a_note():
    assert changes.faults_of("Added\nYou can now read bz2 files.\n") == []
    assert len(changes.faults_of("added\nYou can now read bz2 files.\n")) == 1
    assert len(changes.faults_of("Fixed\n\n")) == 1
    assert changes.main([]) == 0
