"""Which test reaches which lines, and how long it takes: found once, and again where a file has changed."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import os
import resource
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tools.mutants.forks import in_forks
from tools.mutants.swapping import Functions, swap

# A test that takes longer on its own is not run for a mutant.
LONGEST = 4.0
_PROBE = "__reached__"


class Reach:
    """What is known of every test: its seconds, and the lines it reaches in every file.

    Parameters
    ----------
    place : Path
        Where it is kept between two runs.
    root : Path
        Of the repository.
    """

    def __init__(self, place: Path, root: Path) -> None:
        self.place, self.root = place, root
        self.known: dict[str, dict[str, Any]] = json.loads(place.read_text()) if place.exists() else {}
        self._digests: dict[str, str] = {}

    def learn(self, items: list[pytest.Item], functions: Functions, workers: int) -> None:
        """Run every test that is new, or whose file or a file that it reaches has changed, with probes in the code."""
        probed = sorted({self._name(Path(path).parent) for path in functions})
        unknown = [item for item in items if not self._is_current(item, probed)]
        usual = [(function, function.__code__) for found in functions.values() for function in found]
        for path in functions:
            swap(_probed(Path(path)), Path(path), functions)
        for count, (item, found) in enumerate(in_forks(unknown, _reached, lambda _: LONGEST, workers), start=1):
            lines = found["lines"] if isinstance(found, dict) else {}
            files = {self._name(path): numbers for path, numbers in lines.items()}
            digests = {name: self.digest(name) for name in (*files, self._name(item.path))}
            seconds = found["seconds"] if isinstance(found, dict) else None
            self.known[item.nodeid] = {"seconds": seconds, "lines": files, "digests": digests, "probed": probed}
            if count % 100 == 0 or count == len(unknown):
                print(f"{count} of {len(unknown)} tests run with probes", flush=True)
                self.place.write_text(json.dumps(self.known))
        unused = sum(self.known[item.nodeid]["seconds"] is None for item in items)
        print(
            f"{unused} of {len(items)} tests are left out: they fail, or take more than {LONGEST:g} seconds", flush=True
        )
        for function, code in usual:
            function.__code__ = code

    def digest(self, name: str) -> str:
        """Return a digest of a file."""
        if name not in self._digests:
            path = self.root / name
            self._digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""
        return self._digests[name]

    def tests(self, name: str, line: int | None) -> list[tuple[str, float]]:
        """Return the tests that reach a line, or any line of a file, with their seconds.

        The fastest of every test function come first, then the second fastest: tests that differ only in a parameter
        mostly notice the same faults.
        """
        found = defaultdict(list)
        for test, known in self.known.items():
            lines = known["lines"].get(name)
            if known["seconds"] is not None and lines and (line is None or line in lines):
                found[test.split("[")[0]].append((known["seconds"], test))
        rounds = [(turn, *timed) for tests in found.values() for turn, timed in enumerate(sorted(tests))]
        return [(test, seconds) for _, seconds, test in sorted(rounds)]

    def _is_current(self, item: pytest.Item, probed: list[str]) -> bool:
        known = self.known.get(item.nodeid)
        if known is None or not set(probed) <= set(known["probed"]):
            return False
        return all(self.digest(name) == kept for name, kept in known["digests"].items())

    def _name(self, path: str | Path) -> str:
        return Path(path).relative_to(self.root).as_posix()


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run a test and say whether it passes (or is skipped)."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def seconds_taken() -> float:
    """Return the processor time of this process and of those it has waited for."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(time.ru_utime + time.ru_stime for time in times)


def _reached(item: pytest.Item) -> dict[str, Any] | None:
    hits: set[tuple[str, int]] = set()
    setattr(builtins, _PROBE, lambda path, line: hits.add((path, line)))
    temporary_folder(item)
    start = seconds_taken()
    if not passes(item, None):
        return None
    lines = defaultdict(list)
    for path, line in sorted(hits):
        lines[path].append(line)
    return {"seconds": round(seconds_taken() - start, 3), "lines": lines}


def temporary_folder(item: pytest.Item) -> None:
    """Give this process its own folder for the temporary files of its tests."""
    factory = item.config._tmp_path_factory  # type: ignore[attr-defined]
    place = factory.getbasetemp() / str(os.getpid())
    place.mkdir(exist_ok=True)
    factory._basetemp = place


def _probed(path: Path) -> ast.Module:
    """Return the tree of a file in which every statement of a function first says that it is reached."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in _functions(tree):
        for node in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                    setattr(node, name, [new for old in block for new in (_probe(path, old), old)])
    return ast.fix_missing_locations(tree)


def _functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions that are inside no other."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _functions(child)


def _probe(path: Path, statement: ast.stmt) -> ast.stmt:
    (probe,) = ast.parse(f"{_PROBE}({str(path)!r}, {statement.lineno})").body
    for node in ast.walk(probe):
        ast.copy_location(node, statement)
    return probe
