"""The program itself: help, exit codes, one line for every failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import vaglio
from vaglio.cli.main import COMMANDS, load_command
from vaglio.cli.main import main as program

from .conftest import run_here, run_program

HEAVY = {"sklearn", "pandas", "numpy", "scipy", "pyarrow", "matplotlib", "polars"}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["train", "--help"], ["predict", "--help"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]):
    code = (
        "import sys, json\nfrom vaglio.cli.main import main\n"
        f"try: main({arguments!r})\nexcept SystemExit as left: code = left.code\n"
        "print(json.dumps([code, sorted({m.split('.')[0] for m in sys.modules})]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    code_, modules = json.loads(done.stdout.splitlines()[-1])
    assert code_ == 0
    assert HEAVY & set(modules) == set()


@pytest.mark.slow
def test_hardly_any_search_for_garbage_while_the_program_runs_and_none_of_the_rest_at_its_end(tmp_path):
    code = (
        "import gc, sys\nfrom vaglio.__main__ import run\n"
        f"sys.argv = ['vaglio', 'train', 'penguins', '--target', 'species', '--out', {str(tmp_path / 'm.vaglio')!r}]\n"
        "before = gc.get_stats()[0]['collections']\n"
        "try: run()\nexcept SystemExit: pass\n"
        "print(gc.get_stats()[0]['collections'] - before, gc.get_freeze_count())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    searches, left_alone = map(int, done.stdout.splitlines()[-1].split())
    assert searches < 100
    assert left_alone > 100_000


def test_version():
    assert run_program("--version").stdout == f"vaglio {vaglio.__version__}\n"


def test_help_lists_every_command_and_no_command_shows_the_help():
    shown = run_here("--help")
    assert shown.code == 0
    assert all(name in shown.out for name in COMMANDS)
    bare = run_here()
    assert bare.code == 2
    assert "Usage" in bare.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_the_common_options(name: str):
    shown = run_here(name, "--help")
    assert shown.code == 0
    assert "--json" in shown.out
    assert "--debug" in shown.out
    assert load_command(name).help


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["trian"], "did you mean train"),
        (["--nonsense"], "--nonsense"),
        (["train"], "TABLE"),
        (["train", "t.csv", "--learner", "c46"], "did you mean c45"),
        (["train", "t.csv", "--set", "max_dept=3"], "did you mean max_depth"),
        (["train", "t.csv", "--set", "max_depth=-3"], "max_depth"),
        (["train", "t.csv", "--set", "max_depth"], "NAME=VALUE"),
        (["train", "t.csv", "--folds", "1"], "--folds"),
        (["train", "t.csv", "--holdout", "30"], "between 0 and 1"),
        (["train", "t.csv", "--folds", "3", "--test", "u.csv"], "Use "),
        (["predict", "m.vaglio", "t.csv", "--format", "xls"], "--format"),
        (["train", "t.csv", "-t", "a", "--target", "b"], "--target is given 2 times"),
        (["evaluate", "t.csv", "-l", "c45", "-l", "knn"], "vaglio compare"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments: list[str], says: str):
    outcome = run_here(*arguments)
    assert outcome.code == 2
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("vaglio: ")
    assert outcome.out == ""


def test_a_defect_is_one_line_unless_debug_asks_for_more(monkeypatch):
    def broken(name: str) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("vaglio.cli.main.load_command", broken)
    outcome = run_here("train")
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "RuntimeError: two lines" in outcome.err
    with pytest.raises(RuntimeError):
        program(["train", "--debug"])


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "vaglio", "datasets", "digits"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        complaint = process.stderr.read()
    assert process.returncode == 141
    assert complaint == ""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "vaglio", "datasets", "penguins"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "disk is full" in done.stderr


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(tmp_path, model):
    """A table that never ends is being classified when the interrupt comes."""
    command = [sys.executable, "-m", "vaglio", "predict", str(model), "-", "--out", str(tmp_path / "out.csv")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write("island,bill_length_mm\n")
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted" in complaint
    assert "Traceback" not in complaint
    assert list(tmp_path.iterdir()) == []
