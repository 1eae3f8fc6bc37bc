"""The tool that asks whether the tests notice small faults, on a package of a few lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the tool forks and reads /proc")
ROOT = Path(__file__).parents[1]

TOY = '''
"""A module with faults that are noticed, one that cannot be, and one that no test reaches."""
LIMIT = 4

def larger(a: int, b: int) -> int:
    """Return the larger one: it does not matter which of two equal numbers."""
    return a if a > b else b

def down(n):
    while n > 0:
        n -= 1
    if n != 0:
        raise ValueError(f"{n} is not zero")
    return -n

def nobody(n):
    return n.asks
'''
TESTS = """
import toy
def test_larger(): assert (toy.larger(1, 2), toy.larger(2, 1)) == (2, 2)
def test_down(): assert toy.down(1) == 0
def test_broken(): assert toy.larger(1, 1) == 2
def test_limit(): assert toy.LIMIT == 4 and toy.larger(1, 1)
"""
RUN = """
import json, sys
from pathlib import Path
import pytest
from tools.mutants import session
root = Path(sys.argv[1])
sys.path.insert(0, str(root / "src"))
session.GRACE = 0.5
run = session.Session(root, ["src/toy"], root, share=1.0, seed=0, budget=5.0, workers=2)
pytest.main([*session.PYTEST, "--rootdir", str(root), str(root / "tests")], plugins=[run])
print(json.dumps([[result["what"], result["outcome"]] for result in run.results]))
"""
EXPECTED = {
    "4 -> 5": "killed",  # the module is imported again
    "return a if a > b else b -> return None": "killed",
    "a if a > b else b -> a if not a > b else b": "killed",
    "a > b -> a >= b": "survived",  # nothing can tell them apart
    "n > 0 -> not n > 0": "killed",
    "n > 0 -> n >= 0": "killed",
    "n -= 1 -> removed": "timed out",
    "n != 0 -> not n != 0": "killed",
    "n != 0 -> n == 0": "killed",
    "raise ValueError(f'{n} is not zero') -> removed": "not reached",
    "return -n -> return None": "killed",
    "-n -> n": "survived",
    "return n.asks -> return None": "not reached",
}


def _run(folder: Path) -> tuple[str, dict[str, str]]:
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-c", RUN, str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout, dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.slow
def test_faults_are_noticed_unless_nothing_can_notice_them(tmp_path: Path) -> None:
    (tmp_path / "src/toy").mkdir(parents=True)
    (tmp_path / "src/toy/__init__.py").write_text(TOY)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_toy.py").write_text(TESTS)
    told, found = _run(tmp_path)
    assert "1 of 4 tests are left out" in told
    numbers = {"0 -> 1", "1 -> 2"}
    assert {what: outcome for what, outcome in found.items() if what not in numbers} == EXPECTED
    assert (tmp_path / "src/toy/__init__.py").read_text() == TOY

    # A second run goes on: what a new test reaches is tried again, and nothing else.
    (tmp_path / "tests/test_more.py").write_text(
        "import toy\nfrom types import SimpleNamespace\n"
        "def test_nobody(): assert toy.nobody(SimpleNamespace(asks=1)) == 1\n"
    )
    told, found = _run(tmp_path)
    assert found == {**found, **EXPECTED, "return n.asks -> return None": "killed"}
    assert "1 of 1 tests run with probes" in told
