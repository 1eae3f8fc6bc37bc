"""The version of a build: the one in ``src/vaglio/_version.py``, with the commit between releases (``+g1a2b3c4``).

The build asks `dynamic_metadata` for it, and writes it to ``src/vaglio/_build.py``. Source archives contain this file,
because they are built without git. `make build` runs this module, so that an editable install knows its commit as well.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "src" / "vaglio" / "_version.py"
BUILT = ROOT / "src" / "vaglio" / "_build.py"
_VALUE = re.compile(r'^VERSION = "(.+)"$', re.MULTILINE)


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, str]:
    """Return the version as metadata of the project, as builds ask for it."""
    return {"version": version()}


def version() -> str:
    """Return the version of what is built here."""
    written = _read(WRITTEN)
    if ".dev" not in written:
        return written
    commit = _commit()
    if commit is not None:
        return f"{written}+{commit}"
    built = _read(BUILT) if BUILT.exists() else ""
    return built if built.startswith(f"{written}+") else written


def _read(path: Path) -> str:
    found = _VALUE.search(path.read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError(f"{path} has no line VERSION = ...")
    return found[1]


def _commit() -> str | None:
    """Return the commit that is checked out, marked where files differ from it; None without git."""
    if not (ROOT / ".git").exists():  # a folder inside another repository
        return None
    try:
        commit = _git("rev-parse", "--short=7", "HEAD")
        return f"g{commit}.dirty" if _git("status", "--porcelain", "--untracked-files=no") else f"g{commit}"
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    content = f'VERSION = "{version()}"\n'
    if not BUILT.exists() or BUILT.read_text(encoding="utf-8") != content:
        BUILT.write_text(content, encoding="utf-8")
