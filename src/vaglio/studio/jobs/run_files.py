"""The files in the folder of a run: what it is asked for, and how far it is.

The process of the run writes them, and every page reads them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.learners.parameter_text import learner_from_words
from vaglio.messages.stored import restored, stored
from vaglio.model.families import Task as TargetTask
from vaglio.studio.project.folder import read_json, write_json
from vaglio.studio.project.steps import Loaded, TableState, load_table

__all__ = ["Progress", "Request", "Task", "read_progress"]

# Seconds between two writings: a page looks twice per second.
_PAUSE = 0.1


@dataclass(frozen=True)
class Request:
    """The request of a run.

    Attributes
    ----------
    folder : Path
        Of the run; results are written into it.
    data : mapping
        Plain data.
    """

    folder: Path
    data: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Request:
        """Read the request of a run."""
        data = read_json(folder / "request.json")
        if not isinstance(data, dict):
            raise InputError("run-without-request", "{folder} has no request of a run.", folder=folder)
        return cls(folder, data)

    @property
    def kind(self) -> str:
        """What is to be done."""
        return str(self.data["kind"])

    @property
    def state(self) -> TableState:
        """The table that it is about."""
        return TableState.from_dict(self.data["table"])

    @property
    def seed(self) -> int:
        """The seed of folds and learners."""
        return int(self.data.get("seed", 0))

    @property
    def task(self) -> TargetTask:
        """Whether classes or numbers are predicted."""
        return "regression" if self.data.get("task") == "regression" else "classification"

    @property
    def cost(self) -> Any:
        """Costs as a mapping of (true, predicted) pairs, of numbers of "over" and "under"; None without any."""
        given = self.data.get("cost")
        if isinstance(given, dict):
            return given or None
        return None if not given else {(each["true"], each["predicted"]): each["cost"] for each in given}

    @property
    def way(self) -> str:
        """How the parameters are found: "fixed", "tune" for each learner, or "choose" among all of them."""
        way: dict[str, Any] = self.data.get("way") or {}
        return str(way.get("kind", "fixed"))

    @property
    def typed(self) -> dict[str, dict[str, str]]:
        """The parameters as typed, by learner."""
        return {each["id"]: each["params"] for each in self.data["learners"]}

    def load(self) -> Loaded:
        """Read and clean the table."""
        return load_table(self.state, self.folder.parent.parent / "tables")

    def learners(self) -> dict[str, Any]:
        """Return the chosen learners by id, with their parameters; they use all processors."""
        return {
            each["id"]: learner_from_words(each["id"], each["params"], self.seed, -1, task=self.task)
            for each in self.data["learners"]
        }

    def write_result(self, result: Mapping[str, Any]) -> None:
        """Write what has come out so far."""
        write_json(self.folder / "result.json", result)


@dataclass
class Task:
    """One part of a run, such as a learner.

    Attributes
    ----------
    name : str
    total : int
        Steps, such as folds and the last training.
    done : int
    state : {"waiting", "running", "done", "failed"}
    what : str
        The present step, or why it failed.
    guess : float or None
        Seconds that it may take, if something is known.
    seconds : float
        Time that it has taken.
    """

    name: str
    total: int = 1
    done: int = 0
    state: str = "waiting"
    what: str = ""
    guess: float | None = None
    seconds: float = 0.0


class Progress:
    """The progress of one run, written by its process.

    Parameters
    ----------
    folder : Path
        Of the run.
    tasks : list of Task
    """

    def __init__(self, folder: Path, tasks: list[Task]) -> None:
        self.folder, self.tasks = folder, tasks
        self._began = time.monotonic()
        self._task_began = self._began
        self._written = 0.0
        self.write("running")

    def begin(self, number: int) -> None:
        """Begin a task."""
        self.tasks[number].state = "running"
        self._task_began = time.monotonic()
        self.write("running")

    def step(self, number: int, done: int, total: int, what: str) -> None:
        """Say how far a task is."""
        task = self.tasks[number]
        task.done, task.total, task.what = min(done, total), max(total, 1), what
        task.seconds = time.monotonic() - self._task_began
        if time.monotonic() - self._written > _PAUSE:
            self.write("running")

    def end(self, number: int, error: str = "") -> None:
        """End a task."""
        task = self.tasks[number]
        task.state, task.what = ("failed", error) if error else ("done", "")
        task.done = task.done if error else task.total
        task.seconds = time.monotonic() - self._task_began
        self.write("running")

    def left(self) -> float | None:
        """Return the seconds that are left, from what took how long; None when nothing is known yet."""
        known = [(t.seconds, t.guess) for t in self.tasks if t.state == "done" and t.guess]
        # What was guessed is corrected by how long the finished parts really took.
        factor = sum(s for s, _ in known) / sum(g for _, g in known if g) if known else 1.0
        rest = 0.0
        for task in self.tasks:
            if task.state == "running" and task.done:
                rest += task.seconds / task.done * (task.total - task.done)
            elif task.state in ("waiting", "running"):
                if task.guess is None:
                    return None
                rest += task.guess * factor
        return rest

    def write(self, state: str, error: str = "") -> None:
        """Write the file; a reader sees the old one or the new one."""
        self._written = time.monotonic()
        data = {
            "state": state,
            "error": error,
            "pid": os.getpid(),
            "seconds": self._written - self._began,
            "left": self.left() if state == "running" else None,
            "tasks": [asdict(task) for task in self.tasks],
        }
        aside = self.folder / "progress.new"
        # Without fsync, unlike the files that are kept: this one is worth nothing after a power cut.
        aside.write_text(json.dumps(stored(data)), encoding="utf-8")
        aside.replace(self.folder / "progress.json")


def read_progress(folder: Path) -> dict[str, Any] | None:
    """Return what the process of a run wrote last; None before the first word."""
    try:
        found: dict[str, Any] = json.loads((folder / "progress.json").read_text(encoding="utf-8"), object_hook=restored)
    except (OSError, ValueError):
        return None
    return found
