"""A comparison whose work is shared by processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from types import ModuleType

import pytest
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio.errors import ProcessError
from vaglio.evaluation import tasks
from vaglio.evaluation.comparison import comparison
from vaglio.messages.locale import Locale

OURS = ["c45", "naive-bayes"]


@pytest.fixture
def started(monkeypatch):
    """Processes are started at once, however short the work; the numbers of those that were asked for are kept."""
    asked = []

    class Noted(tasks.Parallel):
        def __init__(self, *given, **named):
            asked.append(named["n_jobs"])
            super().__init__(*given, **named)

    for module in (tasks, comparison):
        monkeypatch.setattr(module, "LONG_WORK", 0.0)
    monkeypatch.setattr(tasks, "Parallel", Noted)
    return asked


# Classes of a script, which is how other processes can know what a test defines.
SCRIPT = """
import os, signal
from sklearn.naive_bayes import GaussianNB

first = os.getpid()

class Failing(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("too hot\\nto handle")

class Killed(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        assert os.getpid() != first
        os.kill(os.getpid(), signal.SIGKILL)
"""
DEFINED = {"__name__": "__main__"}
exec(SCRIPT, DEFINED)


@pytest.mark.slow
def test_processes_find_what_one_finds(started):
    table = vaglio.datasets.load("penguins")
    how = {"learners": OURS, "folds": 3, "noise": (0.1, 0.2), "missing": (0.3,), "sizes": (0.5, 1.0)}
    shared = vaglio.compare(table, "species", n_jobs=2, **how)
    assert started == [2, 2]  # for the folds, and for the other requirements
    alone = vaglio.compare(table, "species", n_jobs=1, **how)
    assert started == [2, 2]
    for one, other in zip(shared.reports, alone.reports, strict=True):
        assert one.scores.tolist() == other.scores.tolist()
        assert (one.noise, one.missing, one.size) == (other.noise, other.missing, other.size)
        assert [point["rows"] for point in one.scaling] == [point["rows"] for point in other.scaling]
        assert one.fit_seconds > 0
    assert shared.pairs == alone.pairs


def test_a_learner_that_fails_in_a_process_leaves_the_others(started, iris):
    result = vaglio.compare(*iris, learners={"bad": DEFINED["Failing"](), "bayes": GaussianNB()}, folds=3, n_jobs=2)
    assert [report.error for report in result.reports] == ["ValueError: too hot", ""]
    assert result.reports[1].noise[0.2] > 0.8


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_process_that_is_killed_is_one_sentence(started, iris):
    with pytest.raises(ProcessError, match="ended from outside, probably because memory ran out") as caught:
        vaglio.compare(*iris, learners={"bayes": GaussianNB(), "bad": DEFINED["Killed"]()}, folds=3, n_jobs=2)
    said = str(caught.value)
    assert said.count("\n") == 0
    assert "--jobs 1" in Locale(surface="command").text(caught.value.message)
    again = vaglio.compare(*iris, learners={"bayes": GaussianNB()}, folds=3, n_jobs=2)
    assert again.reports[0].error == ""


@pytest.mark.slow
def test_a_learner_that_no_other_process_knows_is_one_sentence(started, iris, monkeypatch):
    # A module without a file: whatever folders a process looks in, it cannot import it.
    module = ModuleType("known_here_alone")
    exec("from sklearn.naive_bayes import GaussianNB\nclass Unknown(GaussianNB): pass", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(ProcessError, match="Define its class in a module that can be imported"):
        vaglio.compare(*iris, learners={"bad": module.Unknown(), "bayes": GaussianNB()}, folds=3, n_jobs=2)


INTERRUPTED = """
import os, sys, time
from pathlib import Path
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
import vaglio
from vaglio.evaluation import tasks

place = Path(sys.argv[1])
tasks.LONG_WORK = 0

class Waiting(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        (place / str(os.getpid())).touch()
        time.sleep(600)

try:
    vaglio.compare(*load_iris(return_X_y=True), learners={"slow": Waiting(), "bayes": GaussianNB()}, n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes")
def test_an_interrupt_ends_all_processes_without_a_word(tmp_path):
    program = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        try:
            _until(lambda: len(list(tmp_path.iterdir())) == 2)
            os.killpg(running.pid, signal.SIGINT)
            said, errors = running.communicate(timeout=100)
        finally:
            running.kill()
    assert said == "interrupted\n"
    assert "Traceback" not in errors
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert running.pid not in workers
    _until(lambda: not any(_alive(worker) for worker in workers))


def _until(true) -> None:
    end = time.monotonic() + 100
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
