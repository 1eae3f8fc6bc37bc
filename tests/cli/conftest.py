from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from vaglio import datasets
from vaglio.cli.main import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def run_here(*arguments: object) -> Outcome:
    """Run the program in this process, which is much faster than starting another."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    out.flush()
    return Outcome(int(left.value.code or 0), out.buffer.getvalue().decode(errors="surrogateescape"), err.getvalue())  # type: ignore[attr-defined]


def run_program(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
    """Run the program as a user's shell does."""
    command = [sys.executable, "-m", "vaglio", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def penguins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "penguins.csv"
    assert run_here("datasets", "penguins", "--out", path).code == 0
    return path


@pytest.fixture(scope="session")
def play(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "play.csv"
    datasets.load("play").to_frame().to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def model(penguins: Path) -> Path:
    path = penguins.with_name("penguins.vaglio")
    outcome = run_here("train", penguins, "--target", "species", "--out", path)
    assert outcome.code == 0, outcome.err
    return path
