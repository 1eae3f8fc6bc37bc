"""What holds for the files of the repository: private modules, words, no stray paths.

Each test names the offenders, so that its message says what to move or rename.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]

SPECIFICATION_ID = re.compile(
    r"\((?:[BDEGKRSTVX]\d{1,2}(?:, | to |–|-)?)+\)|\b[BDEGKRSTVX]\d{1,2} to [BDEGKRSTVX]\d{1,2}\b"
)
# In quotes it is the old value of a parameter, which is still accepted.
LEARNT = re.compile(r"(?<![\"'])learnt", re.IGNORECASE)


@cache
def _tracked() -> list[PurePosixPath]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [PurePosixPath(name) for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def _below(*folders: str) -> list[PurePosixPath]:
    return [path for path in _tracked() if path.parts[0] in folders]


def _modules() -> list[PurePosixPath]:
    """Return the Python files of the package, relative to it."""
    package = PurePosixPath("src/vaglio")
    return [path.relative_to(package) for path in _below("src") if path.suffix == ".py"]


def _text(path: PurePosixPath) -> str:
    content = (ROOT / path).read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", "replace")


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all statements; to walk through expressions as well takes several times as long."""
    found: list[ast.AST] = [tree]
    while found:
        node = found.pop()
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, inner, ())
        yield node


def _imported(path: PurePosixPath) -> Iterator[tuple[str, ...]]:
    """Yield what a module of the package imports from the package, as parts of a dotted name without ``vaglio``."""
    package = path.parent.parts
    for node in _statements(ast.parse(_text("src/vaglio" / path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # One dot is the module's own folder, each further dot one folder up.
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join(["vaglio", *above] if node.level else []) + ("." if node.level and node.module else "")
            names = [f"{start}{node.module or ''}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (tuple(name.split(".")[1:]) for name in names if name.startswith("vaglio."))


@pytest.mark.slow
def test_a_private_module_is_imported_only_from_its_folder_and_below():
    modules = {path.with_suffix("").parts for path in _modules()}
    wrong = []
    for path in _modules():
        for name in _imported(path):
            for end, part in enumerate(name):
                private = part.startswith("_") and not part.startswith("__") and name[: end + 1] in modules
                if private and path.parts[:end] != name[:end]:
                    wrong.append(f"{path} imports {'.'.join(name[: end + 1])}")
    assert not wrong, "\n".join(["a module with a leading underscore is private to its folder:", *sorted(set(wrong))])


def _lines_with(pattern: re.Pattern[str], *folders: str) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()}"
        for path in _below(*folders)
        for number, line in enumerate(_text(path).splitlines(), 1)
        if pattern.search(line)
    ]


PROSE = ("src", "cpp", "bindings", "docs", "examples", "benchmarks", "tools")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "RELEASING.md", "SECURITY.md")


def test_the_word_is_learned():
    found = _lines_with(LEARNT, *PROSE, *DOCUMENTS)
    assert not found, "\n".join(["write 'learned':", *found])


@pytest.mark.slow
def test_no_text_names_ids_of_a_specification():
    found = _lines_with(SPECIFICATION_ID, *PROSE, *DOCUMENTS)
    assert not found, "\n".join(["readers do not have the specification these ids are from:", *found])


@pytest.mark.slow
def test_no_file_names_a_path_of_one_machine():
    machine = re.compile(r"(?<![\w.}])/(?:work|root|home|Users)/\w")
    assert [str(path) for path in _tracked() if machine.search(_text(path))] == []
