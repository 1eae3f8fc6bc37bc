"""How far long work has come: a bar on a terminal, or a function of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProgressOption", "Report", "progress_bar", "reporting"]

Report = Callable[[int, int, str], None]
ProgressOption = bool | Report | None


def _silent(done: int, total: int, what: str) -> None:
    """Say nothing."""


@contextmanager
def reporting(progress: ProgressOption) -> Iterator[Report]:
    """A function ``report(done, total, what)``. None shows a bar only where a person looks at it."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = sys.stderr.isatty()
    if not progress:
        yield _silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


@contextmanager
def progress_bar(what: str, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a kernel's progress callback that moves a bar with an estimate of the time left; None if not wanted."""
    if not wanted:
        yield None
        return
    from rich.progress import Progress

    with Progress(transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
