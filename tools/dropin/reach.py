"""Which tests of a file can reach one of the classes: those that name one, or refer to what in the file does."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tools.dropin.targets import NAMES


@cache
def reaching(path: Path) -> frozenset[str]:
    """Return the names of a test file whose definitions lead to one of the classes.

    Parameters
    ----------
    path : Path
        The file. What it imports from other test files counts as leading there.
    """
    source = path.read_text(encoding="utf-8")
    refers: dict[str, set[str]] = {}
    leads: set[str] = set()
    for statement in ast.parse(source).body:
        text = ast.get_source_segment(source, statement) or ""
        for decorator in getattr(statement, "decorator_list", []):
            text += ast.get_source_segment(source, decorator) or ""
        defined = _defined(statement)
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        used |= {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}  # fixtures
        for name in defined:
            refers.setdefault(name, set()).update(used)
        if isinstance(statement, ast.ImportFrom) and "tests" not in (statement.module or ""):
            leads |= {alias.asname or alias.name for alias in statement.names if NAMES.fullmatch(alias.name)}
        elif isinstance(statement, ast.ImportFrom) or NAMES.search(text):
            leads |= defined
    while more := {name for name, used in refers.items() if name not in leads and used & leads}:
        leads |= more
    return frozenset(leads)


def _defined(statement: ast.stmt) -> set[str]:
    """Return what a statement of a module gives a name to."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
