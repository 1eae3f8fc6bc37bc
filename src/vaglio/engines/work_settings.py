"""How work on rows out of core is done: memory, folders, checkpoints, cluster, progress."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.messages.message import Option
from vaglio.runtime.arguments import checked
from vaglio.runtime.cluster import WORKER_TIMEOUT
from vaglio.runtime.memory import usable_memory
from vaglio.runtime.progress import ProgressOption

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """How work on scanned tables is done.

    Attributes
    ----------
    memory : int
        Bytes that the process may hold.
    chunk_rows : int or None
        Rows read at a time; None derives them from the memory. No model depends on it.
    spill : Path or None
        Folder for what does not fit in memory; None is that of temporary files.
    checkpoint : Path or None
        Folder in which the merged summary of every pass is kept.
    resume : bool
        Go on from what the checkpoint has.
    client : object or None
        A ``distributed.Client`` on which scanned tables are read and learned from; Dask frames find their own.
    worker_timeout : float
        Seconds that work waits for a cluster without any worker before it ends with an error.
    progress : bool, callable or None
        As :func:`vaglio.runtime.progress.reporting` takes it.
    """

    memory: int
    chunk_rows: int | None = None
    spill: Path | None = None
    checkpoint: Path | None = None
    resume: bool = False
    client: Any = None
    worker_timeout: float = WORKER_TIMEOUT
    progress: ProgressOption = False


_present: ContextVar[Settings | None] = ContextVar("vaglio_scale_settings", default=None)


def present_settings() -> Settings:
    """Return the settings in force; without any, half of the memory of the machine may be used."""
    return _present.get() or Settings(usable_memory() // 2)


@contextmanager
@checked
def streaming(
    memory: int | str | None = None,
    *,
    chunk_rows: int | None = None,
    spill: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    client: Any = None,
    worker_timeout: float | None = None,
    progress: ProgressOption = False,
) -> Iterator[Settings]:
    """Say how scanned tables are worked on, for the statements below.

    Parameters
    ----------
    memory : int or str, optional
        Bytes, or a size such as "2GB", that the process may hold; half of the machine's by default.
    chunk_rows : int, optional
        Rows read at a time; by default derived from the memory. No model depends on it.
    spill : path, optional
        Folder for what does not fit in memory; by default that of temporary files.
    checkpoint : path, optional
        Folder in which the merged summary of every pass is kept, so that a training can be resumed.
    resume : bool, default=False
        Go on from what the checkpoint has; without it, a checkpoint that exists is an error.
    client : distributed.Client, optional
        Read scanned tables and learn from them on this cluster.
    worker_timeout : float, optional
        Seconds that work waits for a cluster without any worker before it ends with an error; 60 by default.
    progress : bool, callable or None, default=False
        None shows a bar per pass on a terminal; a function gets (done, total, pass).

    Examples
    --------
    >>> from vaglio.engines.work_settings import streaming
    >>> with streaming("2GB") as settings:
    ...     settings.memory
    2147483648
    """
    usual = present_settings()
    if chunk_rows is not None and chunk_rows < 1:
        raise InputError("chunk-without-rows", "A chunk must have at least one row, not {rows}.", rows=chunk_rows)
    if worker_timeout is not None and not worker_timeout > 0:
        raise InputError(
            "worker-timeout-not-positive",
            "{option} must be a positive number of seconds, not {value}.",
            option=Option("worker_timeout"),
            value=worker_timeout,
        )
    if resume and checkpoint is None:
        raise InputError(
            "resume-without-checkpoint",
            "{resume} needs the folder of the checkpoint. Set {checkpoint}.",
            resume=Option("resume"),
            checkpoint=Option("checkpoint"),
        )
    settings = replace(
        usual,
        memory=usual.memory if memory is None else parse_size(memory),
        chunk_rows=chunk_rows or usual.chunk_rows,
        spill=usual.spill if spill is None else Path(spill),
        checkpoint=None if checkpoint is None else Path(checkpoint),
        resume=resume,
        client=usual.client if client is None else client,
        worker_timeout=usual.worker_timeout if worker_timeout is None else worker_timeout,
        progress=progress,
    )
    token = _present.set(settings)
    try:
        yield settings
    finally:
        _present.reset(token)


def parse_size(said: int | str) -> int:
    """Return a number of bytes: 2GB, 500 MB and 1.5 GiB count in powers of 1024.

    Examples
    --------
    >>> from vaglio.engines.work_settings import parse_size
    >>> parse_size("1.5GB"), parse_size(4096)
    (1610612736, 4096)
    """
    found = _SIZE.fullmatch(str(said))
    if not found or float(found[1]) <= 0:
        raise InputError(
            "not-a-size", "{size!r} is not a size. Give a number of bytes, or for instance 500MB or 2GB.", size=said
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])
