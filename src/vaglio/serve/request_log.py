"""One line of JSON per request. A full disk is said once and stops nothing: lines wait until there is room again."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vaglio.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where one process writes the log
    fcntl = None  # type: ignore[assignment]

__all__ = ["RequestLog"]

logger = logging.getLogger("vaglio.serve.http")

# Bytes of a file before the next one begins, and the files that are kept beside it.
MOST_BYTES, KEPT = 64 << 20, 5
# Lines that wait for a disk with room.
MOST_LINES = 10_000
# Seconds between two writes.
_PAUSE = 0.25


class RequestLog:
    """The log of a service; a thread of its own writes it, so that no request waits for the disk.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures = self.lost = 0
        self._failing = False
        self._lines: deque[str] = deque()
        self._end = threading.Event()
        try:
            path.open("ab").close()
        except OSError as error:
            raise InputError(
                "cannot-write-log", "Cannot write the log {path}: {strerror}.", path=path, strerror=error.strerror
            ) from error
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def write(self, entry: dict[str, Any]) -> None:
        """Write a line, soon.

        Parameters
        ----------
        entry : dict
            Plain data.
        """
        if len(self._lines) >= MOST_LINES:
            self._lines.popleft()
            self.lost += 1
        self._lines.append(json.dumps(entry, separators=(",", ":")))

    def close(self) -> None:
        """Write what is left."""
        self._end.set()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._end.wait(_PAUSE):
            self._flush()
        self._flush()

    def _flush(self) -> None:
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if not lines:
            return
        try:
            self._append("".join(f"{line}\n" for line in lines).encode())
        except OSError as error:
            self._lines.extendleft(reversed(lines))
            self.failures += 1
            if not self._failing:
                logger.error(
                    "the log %s cannot be written (%s); requests are answered as before, and the last %s lines wait",
                    self.path,
                    error.strerror,
                    f"{MOST_LINES:,}",
                )
            self._failing = True
            return
        if self._failing:
            logger.info("the log %s is written again", self.path)
        self._failing = False

    def _append(self, text: bytes) -> None:
        """Write whole lines or none: half of a line would be taken for damage."""
        with self._alone() as file:
            begin = file.seek(0, os.SEEK_END)
            if begin and begin + len(text) > MOST_BYTES and self.path.is_file():
                self._rotate()
                begin = 0
                file = self.path.open("ab", buffering=0)
            written = 0
            with file:
                try:
                    while written < len(text):
                        written += file.write(text[written:])
                except OSError:
                    if written:
                        with contextlib.suppress(OSError):
                            file.truncate(begin)
                    raise

    @contextlib.contextmanager
    def _alone(self) -> Iterator[Any]:
        """Open the log and keep other processes from writing or renaming it meanwhile."""
        while True:
            with self.path.open("ab", buffering=0) as file:
                if fcntl is not None:
                    with contextlib.suppress(OSError):  # a device has no locks, and needs none
                        fcntl.flock(file, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(file.fileno()), os.stat(self.path)):
                    yield file
                    return
                # Another process has renamed it in between.

    def _rotate(self) -> None:
        for number in range(KEPT - 1, 0, -1):
            older = self.path.with_name(f"{self.path.name}.{number}")
            if older.exists():
                older.replace(self.path.with_name(f"{self.path.name}.{number + 1}"))
        self.path.replace(self.path.with_name(f"{self.path.name}.1"))


def entry_of(notes: dict[str, Any], status: int, seconds: float) -> dict[str, Any]:
    """Return the line of a request.

    Parameters
    ----------
    notes : dict
        What its route noted.
    status : int
    seconds : float
    """
    return {"time": round(time.time(), 3), **notes, "status": status, "seconds": round(seconds, 6)}
