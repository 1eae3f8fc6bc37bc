"""How far a run is: a small file that the process of the run writes and every page reads."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["Progress", "Task", "read_progress"]

# Seconds between two writings: a page looks twice per second.
_PAUSE = 0.1


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
        aside.write_text(json.dumps(data), encoding="utf-8")
        aside.replace(self.folder / "progress.json")


def read_progress(folder: Path) -> dict[str, Any] | None:
    """Return what the process of a run wrote last; None before the first word."""
    try:
        found: dict[str, Any] = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
