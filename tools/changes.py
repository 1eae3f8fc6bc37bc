"""Check the notes on changes: their form, and that a change of the package comes with one.

``python -m tools.changes`` checks the files of ``changes/``. ``python -m tools.changes --since origin/main`` also fails
if the package has changed since then and no note has. A commit that users cannot notice says so in its message, on a
line ``No note: why``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
KINDS = ("Added", "Changed", "Fixed", "Removed")

# What users run. Tests, documentation and tools are not.
PACKAGE = ("src/", "cpp/", "bindings/", "pyproject.toml", "CMakeLists.txt")

_WITHOUT = re.compile(r"^No note: \S", re.MULTILINE)


def faults_of(text: str) -> list[str]:
    """Return what is wrong with the form of a note."""
    kind, _, rest = text.partition("\n")
    faults = []
    if kind not in KINDS:
        faults.append(f"the first line is {kind!r}, not one of {', '.join(KINDS)}")
    if not rest.strip():
        faults.append("no sentence says what changes")
    return faults


def _git(*arguments: str, root: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def is_missing(since: str, root: Path = ROOT) -> bool:
    """Return whether the package has changed since a commit without a note that says how."""
    changed = _git("diff", "--name-only", f"{since}...HEAD", root=root).splitlines()
    if not any(path.startswith(PACKAGE) for path in changed):
        return False
    if any(re.fullmatch(r"changes/(?!README)[\w-]+\.md|CHANGELOG\.md", path) for path in changed):
        return False
    return not _WITHOUT.search(_git("log", "--format=%B", f"{since}..HEAD", root=root))


def main(arguments: list[str] | None = None) -> int:
    """Print what is wrong and return 1, or return 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--since", metavar="COMMIT", help="fail if the package has changed since and no note says how")
    options = parser.parse_args(arguments)
    faults = [
        f"{path.relative_to(ROOT)}: {fault}"
        for path in sorted((ROOT / "changes").glob("*.md"))
        if path.name != "README.md"
        for fault in faults_of(path.read_text(encoding="utf-8"))
    ]
    if options.since and is_missing(options.since):
        faults.append(
            f"The package has changed since {options.since}, and changes/ has not. Add changes/<slug>.md "
            "(see changes/README.md), or a line 'No note: why' to a commit message."
        )
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
