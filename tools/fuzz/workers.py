"""Processes that try inputs, one after the other, under a limit of memory and of time.

The parent has imported everything and holds the seeds; a worker is a fork of it and tries thousands of inputs. Before
each attempt it writes the number of the attempt into memory that it shares with the parent. When it dies, the parent
knows of which input, notes it, and forks the next worker, which goes on after it. After each worker the state is saved,
so that a run of hours that is ended from outside loses minutes.
"""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
import os
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.target import Target

MEMORY = 2 << 30
SECONDS = 10
# An attempt that waits for something uses no time of its own: it ends after so many times the limit.
PATIENCE = 60
# A worker that touched so much more memory than at its start took it for a single input.
TOUCHED = 1 << 30
# Attempts of one worker.
GENERATION = 5000
# Findings alike beyond this number say nothing new.
MOST_ALIKE = 3


@dataclass
class Run:
    """A run over attempts ``first, first + 1, …``: what it and the runs before it found, and where it goes on.

    Attributes
    ----------
    target : Target
    seed : int
    folder : Path
        Where findings and the state are kept.
    first : int
        The next attempt.
    """

    target: Target
    seed: int
    folder: Path
    first: int = 0
    found: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    @classmethod
    def resumed(cls, target: Target, seed: int, folder: Path) -> Run:
        """Return the run that goes on where the last one of this seed stopped."""
        run = cls(target, seed, folder)
        if run._state.exists():
            state = json.loads(run._state.read_text())
            run.first = int(state["next"])
            run.found, run.outcomes = Counter(state["found"]), Counter(state["outcomes"])
        return run

    @property
    def _state(self) -> Path:
        return self.folder / f"{self.target.name}-{self.seed}.json"

    def go(self, attempts: int | None, seconds: float | None, workers: int) -> int:
        """Try inputs until the number or the time is reached, and return how many were tried."""
        start, before = self.first, sum(self.outcomes.values())
        end = None if attempts is None else start + attempts
        deadline = None if seconds is None else time.monotonic() + seconds
        # The collector would write to every object that the parent made, and so copy its pages in every worker.
        gc.collect()
        gc.freeze()
        lanes = [Lane(self, start + w, workers, end, deadline) for w in range(workers)]
        for lane in lanes:
            lane.fork()
        while any(lane.pid for lane in lanes):
            pid, status = os.wait()
            lane = next(lane for lane in lanes if lane.pid == pid)
            lane.ended(status)
            # Every attempt below the least of the lanes was made: a later run goes on there.
            self.first = min(lane.next for lane in lanes)
            self.save()
        return sum(self.outcomes.values()) - before

    def save(self) -> None:
        state = {"seed": self.seed, "next": self.first, "outcomes": self.outcomes, "found": self.found}
        half = self._state.with_suffix(".part")
        half.write_text(json.dumps(state, indent=1))
        half.replace(self._state)

    def note(self, attempt: int, what: str, details: str = "") -> None:
        """Keep a finding: its input, and what happened."""
        self.found[what] += 1
        if self.found[what] > MOST_ALIKE:
            return
        place = self.folder / f"{self.target.name}-{self.seed}-{attempt}"
        place.with_suffix(".txt").write_text(f"{what}\n{details}", errors="backslashreplace")
        with contextlib.suppress(Exception):  # the mutator itself may be at fault
            place.with_suffix(self.target.suffix).write_bytes(input_of(self.target, self.seed, attempt))
        print(f"finding {self.target.name}:{self.seed}:{attempt} {what}", flush=True)


def input_of(target: Target, seed: int, attempt: int) -> bytes:
    """Return the input of an attempt: always the same for the same two numbers."""
    return target.make(Random(f"{target.name} {seed} {attempt}"))


class Lane:
    """One worker at a time, on every n-th attempt."""

    def __init__(self, run: Run, first: int, step: int, end: int | None, deadline: float | None) -> None:
        self.run, self.next, self.step, self.end, self.deadline = run, first, step, end, deadline
        self.shared = mmap.mmap(-1, 8)
        self.shared[:8] = struct.pack("q", first - step)
        self.pid = 0

    def fork(self) -> None:
        # A file and not a pipe: a pipe that nobody empties stops its writer.
        self.reports = tempfile.TemporaryFile()  # noqa: SIM115 - read and closed when the worker has ended
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                self._work()
                code = 0
            except BaseException:  # noqa: BLE001 - a forked child must not go on with the work of its parent
                traceback.print_exc()
            finally:
                os._exit(code)

    def ended(self, status: int) -> None:
        """Read what the worker reported; if it was killed, note the input and go on after it."""
        self._read_reports()
        self.pid = 0
        (reached,) = struct.unpack("q", self.shared[:8])
        self.next = reached + self.step
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            late = number in (signal.SIGALRM, signal.SIGPROF)
            name = "no end within the time limit" if late else signal.Signals(number).name
            self.run.note(reached, f"killed: {name}")
        elif os.WEXITSTATUS(status):
            self.run.note(reached, "the worker failed")
        if not self._at_end():
            self.fork()

    def _at_end(self) -> bool:
        late = self.deadline is not None and time.monotonic() > self.deadline
        return late or (self.end is not None and self.next >= self.end)

    def _read_reports(self) -> None:
        self.reports.seek(0)
        for line in self.reports:
            with contextlib.suppress(ValueError):  # cut off by the end of the worker
                report = json.loads(line)
                self.run.outcomes.update(report.get("outcomes", {}))
                if "finding" in report:
                    self.run.note(report["attempt"], report["finding"], report["details"])
        self.reports.close()

    # -- in the worker -----------------------------------------------------------------------------------------------
    def _work(self) -> None:
        with limited(), open(self.reports.fileno(), "w", closefd=False) as out:
            outcomes: Counter[str] = Counter()
            touched = peak()
            for attempt in self._attempts():
                word, report = tried(self.run.target, self.run.seed, attempt)
                outcomes[word] += 1
                if not report and peak() > touched + TOUCHED:
                    report = {"finding": "took more than 1 GB", "details": ""}
                if report:
                    out.write(json.dumps({"attempt": attempt, **report}) + "\n")
                    out.flush()  # the next attempt may be the last
                touched = peak()
                if sum(outcomes.values()) >= 100:
                    out.write(json.dumps({"outcomes": outcomes}) + "\n")
                    out.flush()
                    outcomes.clear()
            out.write(json.dumps({"outcomes": outcomes}) + "\n")

    def _attempts(self) -> Iterator[int]:
        for _ in range(GENERATION):
            if self._at_end():
                return
            self.shared[:8] = struct.pack("q", self.next)
            _alarm(SECONDS)
            yield self.next
            _alarm(0)
            self.next += self.step


def _alarm(seconds: float) -> None:
    """Set the end of an attempt. Its own time counts: on a busy machine ten seconds may pass without it."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)


def tried(target: Target, seed: int, attempt: int) -> tuple[str, dict[str, Any] | None]:
    """Make one attempt; return one word for its outcome, and the finding if it is one."""
    try:
        return target.attempt(input_of(target, seed, attempt)), None
    except Exception as error:  # noqa: BLE001 - to find every kind is what this is for
        frames = traceback.extract_tb(error.__traceback__)
        # Findings with the same last line of vaglio's own are one.
        own = next((frame for frame in reversed(frames) if "vaglio" in frame.filename), frames[-1])
        where = f"{Path(own.filename).name}:{own.lineno}"
        text = f"{type(error).__name__} at {where}"
        return "finding", {"finding": text, "details": "".join(traceback.format_exception(error))}


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Limit memory (beyond what the fork has already), and let the alarm end the process: no code can catch it."""
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nobody answers
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    yield


def peak() -> int:
    """Return the most memory this process has touched, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
