"""A copy of the package's sources that a test may change, with a count of the files that it changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import vaglio._core

SOURCES = Path(__file__).parents[2] / "src" / "vaglio"
# An editable install puts a finder before the path, which would lead back to the sources that are not changed.
_START = """
import json, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
import vaglio
assert vaglio.__file__.startswith({folder!r}), vaglio.__file__
found = {{}}
"""


class PackageCopy:
    """The sources in a folder of their own, beside the compiled core of the installation.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "vaglio"
        copytree(SOURCES, self.package, ignore=ignore_patterns("_core*.so"))
        core = Path(str(vaglio._core.__file__))
        (self.package / core.name).symlink_to(core)

    def insert(self, path: str, before: str, lines: str) -> None:
        """Put lines before the only occurrence of a text in a file."""
        file = self.package / path
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{before!r} occurs {text.count(before)} times in {path}"
        file.write_text(text.replace(before, lines + before), encoding="utf-8")

    def touched(self) -> tuple[list[str], list[str]]:
        """Return the files that are new and those that are changed, relative to the package."""
        new, changed = [], []
        for file in sorted(self.package.rglob("*")):
            original = SOURCES / file.relative_to(self.package)
            if file.is_dir() or file.is_symlink() or "__pycache__" in file.parts:
                continue
            path = file.relative_to(self.package).as_posix()
            if not original.exists():
                new.append(path)
            elif original.read_bytes() != file.read_bytes():
                changed.append(path)
        return new, changed

    def run(self, script: str) -> dict[str, Any]:
        """Run a script that fills ``found`` in another process, with the changed package; return what it found."""
        program = _START.format(folder=str(self.folder)) + script + "\nprint(json.dumps(found))"
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        ended = subprocess.run(
            [sys.executable, "-c", program],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        answer: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
        return answer
