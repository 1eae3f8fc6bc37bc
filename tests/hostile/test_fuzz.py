"""A short run of the fuzzer, and proof that it sees what it is made to see. ``make fuzz`` runs it for longer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the fuzzer forks and reads /proc")
ROOT = Path(__file__).parents[2]

# One input per way to fail, and harmless ones between them.
BAD = """
import os, signal, sys, time
from pathlib import Path
from random import Random
from tools.fuzz import workers
from tools.fuzz.target import Target

class Bad(Target):
    name, suffix = "bad", ".bin"
    def prepare(self): self.count = 0
    def make(self, random):
        self.count += 1
        return random.choice([b"fine", b"kill", b"raise", b"hang", b"spin", b"take"])
    def attempt(self, content):
        if content == b"spin":
            while True: pass
        if content == b"kill": os.kill(os.getpid(), signal.SIGSEGV)
        if content == b"raise": raise KeyError("foreign")
        if content == b"hang": time.sleep(60)
        if content == b"take": bytearray(3 << 30)
        return "fine"

workers.SECONDS, workers.PATIENCE, workers.MOST_ALIKE = 0.2, 5, 40
target = Bad(); target.prepare()
run = workers.Run(target, 0, Path(sys.argv[1]))
tried = run.go(40, None, 2)
assert run.first == 40, run.first
again = workers.Run(target, 0, Path(sys.argv[1]), run.first)
again.go(4, None, 2)
print(sorted(what.split(" at ")[0] for what in run.found), again.first)
"""


@pytest.mark.slow
def test_the_fuzzer_finds_every_way_to_fail(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", BAD, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    expected = ["KeyError", "MemoryError", "killed: SIGSEGV", "killed: no end within the time limit"]
    assert done.stdout.splitlines()[-1] == f"{expected} 44"
    kept = {path.read_bytes() for path in tmp_path.glob("*.bin")}
    assert kept == {b"kill", b"raise", b"hang", b"spin", b"take"}


TABLES = ("csv", "arff", "json", "arrow", "parquet", "xlsx")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("targets", "attempts"),
    [
        (("models",), 40),
        (("options",), 5),
        (TABLES, 18),
        pytest.param(("models",), 400, marks=pytest.mark.nightly),
        pytest.param(("options",), 12, marks=pytest.mark.nightly),
        pytest.param(TABLES, 60, marks=pytest.mark.nightly),
    ],
)
def test_a_short_run_finds_nothing(targets: tuple[str, ...], attempts: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.fuzz", "--attempts", str(attempts), "--seed", "7", "--state", tmp_path]
    command += [word for target in targets for word in ("--target", target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    for target in targets:
        state = json.loads((tmp_path / f"{target}-7.json").read_text())
        assert (state["next"], state["found"]) == (attempts, {})
        assert len(state["outcomes"]) > 1
