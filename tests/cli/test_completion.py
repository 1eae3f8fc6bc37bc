"""Shell completion, by the protocol that the shells speak."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from vaglio import datasets
from vaglio.cli._options import STRATEGIES
from vaglio.cli.main import COMMANDS
from vaglio.evaluation import STRATEGIES as REAL_STRATEGIES
from vaglio.learn.registry import LEARNERS


def _ask(shell: str, line: str) -> str:
    """What the shell is told when Tab is pressed at the end of the line."""
    words = line.split(" ")
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    environment = {**os.environ, "_VAGLIO_COMPLETE": f"complete_{shell}", **asked}
    done = subprocess.run([sys.executable, "-m", "vaglio"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout


def test_commands():
    assert set(_ask("bash", "vaglio ").split()) == set(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_learners_in_every_shell(shell: str):
    assert "naive-bayes" in _ask(shell, "vaglio compare --learner c45 --learner na")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("vaglio tr", {"train", "trace"}),
        ("vaglio select --strat", {"--strategy"}),
        ("vaglio select --strategy ", set(STRATEGIES)),
        ("vaglio train --learner ", set(LEARNERS)),
        ("vaglio datasets pe", {"penguins"}),
        ("vaglio explore --figure ", {"histograms", "boxes", "pairs", "associations"}),
        ("vaglio tune --search gr", {"grid"}),
    ],
)
def test_what_is_offered(line: str, offered: set[str]):
    assert set(_ask("bash", line).split()) == offered


def test_strategies_are_those_there_are():
    assert {name: found.reliability for name, found in REAL_STRATEGIES.items()} == STRATEGIES


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_can_be_shown(shell: str):
    done = subprocess.run(
        [sys.executable, "-m", "vaglio", "--show-completion", shell], capture_output=True, text=True, timeout=60
    )
    assert "vaglio" in done.stdout
    assert done.returncode == 0


def test_the_names_of_datasets_are_known():
    assert "penguins" in datasets.names()
