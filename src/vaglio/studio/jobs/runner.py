"""Processes for long work: each run has its own, and to cancel a run is to end its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.studio.jobs.run_files import read_progress
from vaglio.studio.project.folder import Project, read_json

__all__ = ["Jobs", "Run"]

# Runs at a time: learners use all processors already.
_MOST_AT_A_TIME = 2


class Run:
    """One run, as its folder tells it.

    Parameters
    ----------
    folder : Path
    alive : bool
        Whether its process is at work.
    """

    def __init__(self, folder: Path, alive: bool) -> None:
        self.folder, self.alive = folder, alive
        self.name = folder.name
        self.request: dict[str, Any] = read_json(folder / "request.json") or {}
        self.progress: dict[str, Any] = read_progress(folder) or {"tasks": [], "left": None, "error": ""}

    @property
    def kind(self) -> str:
        """What is done: learn, compare, report, …"""
        return str(self.request.get("kind", ""))

    @property
    def state(self) -> str:
        """One of running, done, failed, cancelled, interrupted."""
        if self.alive:
            return "running"
        said = str(self.progress.get("state", ""))
        if said in ("done", "failed"):
            return said
        # Neither finished nor at work: it was cancelled, or the machine went off.
        return "cancelled" if (self.folder / "cancelled").exists() else "interrupted"

    @property
    def result(self) -> dict[str, Any]:
        """What has come out so far."""
        return read_json(self.folder / "result.json") or {}


class Jobs:
    """Starts, lists and ends runs.

    Parameters
    ----------
    project : Project
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._lock = threading.Lock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, request: Mapping[str, Any]) -> Run:
        """Start a run.

        Parameters
        ----------
        request : mapping
            Plain data: its "kind", the "table" as a state, and what the kind needs.
        """
        with self._lock:
            if sum(self._is_alive(name) for name in self._processes) >= _MOST_AT_A_TIME:
                raise InputError(
                    "two-runs-work-already", "Two runs are at work already: wait for one of them, or cancel it."
                )
            folder = self.project.new_run(request)
            command = [sys.executable, "-m", "vaglio.studio.jobs.worker", str(folder)]
            environment = {**os.environ, "VAGLIO_STUDIO_PARENT": str(os.getpid())}
            with (folder / "messages.txt").open("wb") as messages:
                # A group of its own: processes that it starts end with it.
                self._processes[folder.name] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=messages,
                    stderr=messages,
                    start_new_session=True,
                    env=environment,
                )
        return self.get(folder.name)

    def get(self, name: str) -> Run:
        """Return a run by its name."""
        return Run(self.project.run_folder(name), self._is_alive(name))

    def all(self, kind: str | None = None) -> list[Run]:
        """Return the runs, the newest first; of one kind if it is given."""
        found = [self.get(name) for name in reversed(self.project.run_names())]
        return [run for run in found if kind is None or run.kind == kind]

    def latest(self, kind: str) -> Run | None:
        """Return the newest run of a kind."""
        for name in reversed(self.project.run_names()):
            run = self.get(name)
            if run.kind == kind:
                return run
        return None

    def cancel(self, name: str) -> None:
        """End a run at once; what it has finished stays."""
        process = self._processes.get(name)
        if process is None or process.poll() is not None:
            return
        (self.project.run_folder(name) / "cancelled").touch()
        if hasattr(os, "killpg"):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
        else:
            process.kill()
        process.wait(5)

    def close(self) -> None:
        """End every run."""
        for name in list(self._processes):
            self.cancel(name)

    def _is_alive(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is not None and process.poll() is None
