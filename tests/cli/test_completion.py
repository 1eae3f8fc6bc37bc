"""Shell completion, by the protocol of the shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vaglio.cli._searching import STRATEGIES
from vaglio.cli.main import COMMANDS
from vaglio.evaluation import STRATEGIES as REAL_STRATEGIES
from vaglio.learners.registry import LEARNERS, REGRESSORS

from .conftest import run_here


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch):
    """What a shell is told when Tab is pressed at the end of a line."""

    def answer(shell: str, line: str) -> str:
        asked = {
            "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)},
            "zsh": {"_TYPER_COMPLETE_ARGS": line},
            "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        }[shell]
        for name, value in {"_VAGLIO_COMPLETE": f"complete_{shell}", **asked}.items():
            monkeypatch.setenv(name, value)
        outcome = run_here()
        assert outcome.err == ""
        return outcome.out

    return answer


def test_commands(ask):
    assert set(ask("bash", "vaglio ").split()) == set(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_learners_in_every_shell(shell: str, ask):
    offered = ask(shell, "vaglio compare --learner c45 --learner na")
    assert "naive-bayes" in offered
    assert ("densities" in offered) == (shell != "bash")  # bash shows no help beside a word


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("vaglio tr", {"train", "trace"}),
        ("vaglio select --strat", {"--strategy"}),
        ("vaglio select --strategy ", set(STRATEGIES)),
        ("vaglio train --learner ", {*LEARNERS, *REGRESSORS}),
        ("vaglio datasets pe", {"penguins"}),
        ("vaglio explore --figure ", {"histograms", "boxes", "pairs", "associations", "forest"}),
        ("vaglio export --format s", {"sql", "svg"}),
        ("vaglio tune --search gr", {"grid"}),
    ],
)
def test_what_is_offered(line: str, offered: set[str], ask):
    assert set(ask("bash", line).split()) == offered


def test_strategies_are_those_there_are():
    assert {name: found.reliability for name, found in REAL_STRATEGIES.items()} == STRATEGIES


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("_VAGLIO_COMPLETE", f"source_{shell}")
    assert f"complete_{shell}" in run_here().out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_in_a_real_bash(tmp_path: Path):
    program = tmp_path / "vaglio"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m vaglio "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(_VAGLIO_COMPLETE=source_bash vaglio)"; COMP_WORDS=(vaglio expl); COMP_CWORD=1; '
        '_vaglio_completion vaglio; echo "${COMPREPLY[@]}"'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["explore", "explain"], done.stderr
